"""The whole engine, loaded: every operator, every pass, and what of onnx they use.

A process that imports the package pays for this once, before its first model.
"""

from __future__ import annotations

import onnx.defs
import onnx.helper
import onnx.numpy_helper
import onnx.shape_inference  # noqa: F401

from . import ops
from .api import SimplifyResult, simplify
from .fold import backends  # noqa: F401
from .ir import read, save  # noqa: F401
from .passes import catalog, manager  # noqa: F401

ops.load()
catalog.load()

__all__ = ["SimplifyResult", "simplify"]
