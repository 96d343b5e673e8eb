"""Values that are zero everywhere, be their sizes known or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ir.dtypes import BFLOAT16
from ..ir.same import SAMPLE, glance, pieces
from ..ir.tensors import DeferredTensor, Tensor
from .match import NUMBERS, SPREADING

if TYPE_CHECKING:
    from ..ir.graph import Value

KEEPING = SPREADING - {"ConstantOfShape"} | {"Cast", "CastLike", "Gather", "Split"}
"""Operators whose results are zero when their first input is."""
LOOK_BACK = 64
"""How many values one question may look at."""
_TYPES = NUMBERS | {BFLOAT16}


def is_zero(value: Value | None) -> bool:
    """Is every element provably zero, and none -0.0? True of a value without elements.

    It may be a constant, what ConstantOfShape or Expand make of one, a view of such, or a Concat of several.
    """
    waiting = [value]
    for _ in range(LOOK_BACK):
        value = waiting.pop()
        if value is None or value.is_input or value.dtype not in _TYPES:
            return False
        node = value.node
        if value.tensor is not None:
            if not is_zero_tensor(value.tensor):
                return False
        elif node is None or node.domain:
            return False
        elif node.op_type == "ConstantOfShape":
            fill = node.attribute("value")
            if fill is not None and not is_zero_tensor(fill):
                return False
        elif node.op_type == "Concat":
            waiting += node.inputs
        elif node.op_type in KEEPING:
            waiting.append(node.input(0))
        else:
            return False
        if not waiting:
            return True
    return False


def is_zero_tensor(tensor: Tensor) -> bool:
    """Are all its bytes 0? One that would have to be computed first is not looked at."""
    if type(tensor) is DeferredTensor or tensor.nbytes > SAMPLE and any(glance(tensor)):
        return False
    return not any(np.frombuffer(piece, np.uint8).any() for piece in pieces(tensor, holes=False))
