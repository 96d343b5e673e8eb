"""eliminate_loop_with_const_trip_count: a Loop that runs once is its body, one that never runs its initial values."""

from __future__ import annotations

from ..ir.dtypes import FLOAT8E4M3FN
from ..ir.graph import Graph, Node, Value
from ..ops.control_flow import declared_rank
from ..rewrite.builder import Builder
from ..rewrite.inline import inline_body
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_loop_with_const_trip_count", "replace a Loop that runs at most once by what it computes")


def trips(node: Node, op: Builder) -> int | None:
    """0 or 1 when the Loop is known to run just so often, else None.

    It runs `min(M, iterations while the condition holds)`; an omitted M or condition does not limit.
    """
    condition = node.input(1)
    first = (1,) if condition is None else op.ctx.ints(condition)
    if first is not None and len(first) == 1 and not first[0]:
        return 0
    limit = None if node.input(0) is None else op.ctx.ints(node.input(0))
    if limit is not None and len(limit) == 1:
        if limit[0] <= 0:
            return 0
        if first is None or len(first) != 1:
            return None
        body = (node.bodies or {}).get("body")
        if limit[0] == 1 or body is not None and _stops_after_one(body, op):
            return 1
        return None
    body = (node.bodies or {}).get("body")
    return 1 if first is not None and len(first) == 1 and body is not None and _stops_after_one(body, op) else None


def _stops_after_one(body: Graph, op: Builder) -> bool:
    again = op.ctx.ints(body.outputs[0]) if body.outputs and not body.outputs[0].is_input else None
    return again is not None and len(again) == 1 and not again[0]


@rewrites("eliminate_loop_with_const_trip_count", root="Loop")
def unroll_one_trip(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Loop run once -> its body; Loop never run -> its initial values.

    Exact: the same nodes run. Loops of more trips are kept: unrolling would make the graph grow.
    Source: ONNX Loop-1..23.
    """
    body = (node.bodies or {}).get("body")
    count = trips(node, op)
    if body is None or count is None:
        return skip("the number of trips is not known to be 0 or 1")
    if body.sparse:
        return skip("the body owns a sparse initializer")
    carried = list(node.inputs[2:])
    if any(value is None for value in carried) or len(body.inputs) != len(carried) + 2:
        return skip("the body does not take what the Loop passes")
    if len(body.outputs) <= len(node.outputs):
        return skip("the body does not give what the Loop does")
    scans = len(node.outputs) - len(carried)
    if count == 0:
        if scans:
            return skip("a Loop that never runs gives empty scan outputs of unknown shape")
        return tuple(carried)  # type: ignore[arg-type]
    # From float8 on, onnxruntime has no Unsqueeze of the types.
    if any(value.dtype >= FLOAT8E4M3FN for value in node.outputs[len(carried):]):
        return skip("the rows are of a narrow type that nothing unsqueezes")
    import numpy as np

    counter, again = [(1,) * (declared_rank(value) or 0) for value in body.inputs[:2]]
    first = op.constant(np.zeros(counter, np.int64)), op.constant(np.ones(again, np.bool_))
    results = inline_body(op, body, (*first, *carried))[1:]
    finals, rows = results[:len(carried)], results[len(carried):]
    return (*finals, *(stack_once(op, row) for row in rows))


def stack_once(op: Builder, row: Value) -> Value:
    """A scan output after one trip: the row with a leading axis of size 1."""
    if op.opset >= 13:
        value: Value = op.Unsqueeze(row, op.ints([0]))
        return value
    value = op.Unsqueeze(row, axes=[0])
    return value
