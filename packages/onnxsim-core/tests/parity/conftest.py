"""The tools to compare with are installed by the parity session alone; elsewhere there is nothing to collect here."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("onnxoptimizer") else ["test_onnxoptimizer.py"]
