"""fuse_consecutive_clips: Clip and Relu in a row are one Clip."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import constant_array
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_clips", "join Clip and Relu in a row into one Clip")

Bounds = tuple[Any, Any]


@rewrites("fuse_consecutive_clips", root=("Clip", "Relu"), after=("Clip", "Relu"))
def compose_clips(node: Node, op: Builder) -> Value | Skip:
    """Clip(Clip(x, a, b), c, d) -> Clip(x, max, min), with Relu as Clip from 0.

    Exact, but a -0.0 may come out as 0.0 or the reverse. Source: ONNX Clip-13, Relu-14.
    """
    value = node.input(0)
    inner = None if value is None else value.node
    if value is None or inner is None or inner.domain or inner.op_type not in ("Clip", "Relu"):
        return skip("input is not made by Clip or Relu")
    if node.op_type == inner.op_type == "Relu" or not is_step(value):
        return skip("both are Relu, or the first is read elsewhere")
    x = inner.input(0)
    if not value.dtype or not node.outputs[0].dtype:
        return skip("the type is not known")
    if x is None or op.opset < 12 and x.dtype != 1:
        return skip("the type has no Clip in this opset")
    first, second = bounds(inner), bounds(node)
    if first is None or second is None:
        return skip("a bound is not known")
    low = _tightest(first[0], second[0], max)
    high = _tightest(first[1], second[1], min)
    if low is not None and high is not None and not low <= high:
        return skip("the bounds leave nothing between them")
    if op.opset < 11:
        return op.node("Clip", [x], name=node.name, min=_number(low), max=_number(high))[0]
    return op.node("Clip", [x, _scalar(op, low), _scalar(op, high)], name=node.name)[0]


def bounds(node: Node) -> Bounds | None:
    """The least and the largest value a Clip or Relu lets through (None where there is no bound), or None."""
    if node.op_type == "Relu":
        from ..ir.dtypes import numpy_dtype

        return np.zeros((), numpy_dtype(node.outputs[0].dtype)), None
    if node.attribute("min") is not None or node.attribute("max") is not None:
        found = [node.attribute("min"), node.attribute("max")]
        return tuple(None if bound is None else np.array(bound, np.float32) for bound in found)  # type: ignore[return-value]
    result = []
    for value in (node.input(1), node.input(2)):
        array = constant_array(value)
        if value is not None and (array is None or array.size != 1 or array != array):
            return None
        result.append(None if array is None else array.reshape(()))
    return result[0], result[1]


def _tightest(a: Any, b: Any, pick: Any) -> Any:
    return b if a is None else a if b is None else pick(a, b)


def _number(bound: Any) -> float | None:
    return None if bound is None else float(bound)


def _scalar(op: Builder, bound: Any) -> Value | None:
    return None if bound is None else op.constant(np.asarray(bound))
