"""These tests import onnx-safetensors, which only the safetensors session installs."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("onnx_safetensors") else ["test_*.py"]
