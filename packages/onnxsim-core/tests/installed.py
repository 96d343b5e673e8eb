"""What the installed onnx has: the oldest release that is supported lacks some of what the newest one brings."""

from __future__ import annotations

from onnx import TensorProto, defs

from onnxsim_core.ir import dtypes

NEWEST = 28
"""The operator set of the newest release of onnx that is supported."""
OPSET = defs.onnx_opset_version()
"""That of the installed one."""
ADDED_TYPES = {"FLOAT6E2M3": 27, "FLOAT6E3M2": 28}
"""Element types that are younger than the oldest release."""
TYPES = set(TensorProto.DataType.values())
"""Element types of the installed release, by number."""
WITH_WIDTH = sorted(TYPES.intersection(dtypes.BITS))
"""Those that have raw bytes."""


def has(op_type: str) -> bool:
    """Does the installed release have an operator of this name?"""
    return bool(defs.has(op_type, ""))
