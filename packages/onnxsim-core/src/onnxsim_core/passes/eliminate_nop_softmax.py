"""eliminate_nop_softmax: a Softmax over one element is 1; off by default."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import nbytes, numpy_dtype
from ..ir.graph import Node, Value
from ..ops.axes import static_numel
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_softmax", "replace a Softmax over one element by 1; off: the original keeps NaN and makes "
        "infinities NaN", default=False)


@rewrites("eliminate_nop_softmax", root=("Softmax", "LogSoftmax"))
def constant_of_one_element(node: Node, op: Builder) -> Value | Skip:
    """Softmax(x) -> 1 and LogSoftmax(x) -> 0 over an axis of size 1.

    Numerics: NaN and infinite elements of x give NaN in the original.
    Source: ONNX Softmax-13; before, all axes from the given one on are one.
    """
    x = node.input(0)
    total = static_numel(None if x is None else x.shape)
    if x is None or x.shape is None or total < 0 or not x.dtype:
        return skip("the sizes are not known")
    axis = axis_of(node, len(x.shape), -1 if op.opset >= 13 else 1)
    if axis is None or x.shape[axis] != 1 or op.opset < 13 and any(size != 1 for size in x.shape[axis:]):
        return skip("it runs over more than one element")
    if not op.affordable(nbytes(x.dtype, total)):
        return skip("the constant would make the model grow")
    fill = 1 if node.op_type == "Softmax" else 0
    return op.constant(np.full(x.shape, fill, numpy_dtype(x.dtype)))
