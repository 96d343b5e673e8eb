"""`onnxsim.onnx_simplifier.simplify`, as scripts written for earlier releases import it."""

from onnxsim_core import simplify
from onnxsim_core.cli.main import main

__all__ = ["main", "simplify"]
