"""Control flow: what If, Loop and Scan tell their bodies, and what the bodies tell back.

Values read from around a body are the same in every run of it; what a Loop carries is not, and only what `carried`
proves is said of it.
"""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, is_positive, maximum
from ..ir.dtypes import BOOL, INT64
from ..ir.graph import Graph, Node, Value
from .attributes import integer, integers
from .bodies import Outside, body_of, give, give_like, unchanged, visit
from .carried import prove
from .containers import (
    Element,
    Sizes,
    common_sizes,
    element,
    is_sequence,
    merge_elements,
    set_sequence,
    set_type,
)
from .registry import SHAPES


# --- If --------------------------------------------------------------------------------------------------------------
@SHAPES.register("If")
def if_shape(node: Node, ctx: Any) -> None:
    """What holds after both branches; after the one taken when the condition is known.  Source: ONNX If-1..23."""
    bodies = node.bodies or {}
    known = ctx.ints(node.input(0))
    names = ("then_branch", "else_branch") if known is None or len(known) != 1 else \
        ("then_branch",) if known[0] else ("else_branch",)
    branches = []
    for name in names:
        body = bodies.get(name)
        if body is None or len(body.outputs) != len(node.outputs):
            return
        if not visit(body, ctx):
            return
        branches.append(body)
    for index, value in enumerate(node.outputs):
        results = [body.outputs[index] for body in branches]
        if len(results) == 1:
            _set_like(value, results[0], ctx)
        else:
            _set_common(value, results[0], results[1], ctx)


def _set_like(value: Value, result: Value, ctx: Any) -> None:
    if result.type_proto is not None and not result.dtype:
        set_type(value, result.type_proto, ctx)
    elif result.doubtful:
        ctx.set(value, result.dtype)
    else:
        ctx.set(value, result.dtype, result.shape, ctx.data(result))


def _set_common(value: Value, a: Value, b: Value, ctx: Any) -> None:
    """One of two values is meant: what is true of both is stated."""
    if is_sequence(a) and is_sequence(b):
        set_sequence(value, merge_elements([element(a, ctx), element(b, ctx)]), ctx)
        return
    if a.type_proto is not None and not a.dtype:
        if a.type_proto == b.type_proto:
            set_type(value, a.type_proto, ctx)
        return
    if a.doubtful or b.doubtful:
        ctx.set(value, a.dtype or b.dtype)
        return
    if a.shape is not None and b.shape is not None and len(a.shape) != len(b.shape):
        value.doubtful = True  # whatever rank the file declares, one branch has another
    data = ctx.data(a)
    same = data is not None and a.shape == b.shape and data == ctx.data(b)
    ctx.set(value, a.dtype or b.dtype, _stated(common_sizes(a.shape, b.shape), ctx), data if same else None)


def _stated(shape: Sizes, ctx: Any) -> list[Size] | None:
    return None if shape is None else [ctx.fresh() if size is None else size for size in shape]


# --- Loop ------------------------------------------------------------------------------------------------------------
@SHAPES.register("Loop")
def loop_shape(node: Node, ctx: Any) -> None:
    """Carried values keep their type; scan outputs get an axis of one entry per iteration.  Source: ONNX Loop-1..23."""
    count = len(node.inputs) - 2
    body = body_of(node, count + 2)
    if body is None or count < 0 or len(body.outputs) != len(node.outputs) + 1 or len(node.outputs) < count:
        return
    starts = node.inputs[2:]
    _enter_loop(node, body, ctx)
    if not visit(body, ctx):
        return
    # What the visit simplified may show that a carried value never changes.
    _enter_loop(node, body, ctx)
    trips = trip_count(node, body, ctx)
    runs = type(trips) is int and trips > 0 or type(trips) is not int and trips is not None and is_positive(trips)
    outside = Outside(body, ctx)
    for index in range(count):
        _set_final(node.outputs[index], starts[index], body.inputs[index + 2], body.outputs[index + 1], runs, outside)
    for index in range(count, len(node.outputs)):
        row = body.outputs[index + 1]
        sizes = outside.sizes(None if row.doubtful else row.shape)
        if sizes is not None and not runs:
            # A Loop that never runs gives rows of size 0 wherever the size is not a number in the file.
            sizes = tuple([size if type(size) is int else None for size in sizes])
        shape = _stated(sizes, ctx)
        if shape is not None:
            shape.insert(0, ctx.fresh() if trips is None else trips)
        ctx.set(node.outputs[index], row.dtype, shape)


def _enter_loop(node: Node, body: Graph, ctx: Any) -> None:
    """Say what the body's inputs are at the start of every iteration."""
    counter = body.inputs[0]
    rank = declared_rank(counter)
    give(counter, INT64, None if rank is None else (1,) * rank, ctx)
    again = body.inputs[1]
    rank = declared_rank(again)
    condition = node.inputs[1]
    start: tuple[Size, ...] | None = (1,) * rank if rank is not None else None if condition is None else condition.shape
    if not again.dtype:
        again.dtype = BOOL
    starts, leaving = {again: start}, [body.outputs[0]]
    for outer, value, result in zip(node.inputs[2:], body.inputs[2:], body.outputs[1:], strict=False):
        if outer is None:
            give(value, 0, None, ctx)
        elif unchanged(value, result):
            give_like(value, outer, ctx)
        elif outer.type_proto is not None and not outer.dtype:
            _give_container(value, outer, ctx)
        else:
            if outer.dtype:
                value.dtype = outer.dtype
            starts[value] = None if outer.doubtful else outer.shape
            leaving.append(result)
    prove(node, body, starts, leaving, ctx)


def _give_container(value: Value, outer: Value, ctx: Any) -> None:
    """A carried sequence or optional: only the type of its tensors stays the same."""
    if is_sequence(outer):
        set_sequence(value, Element(element(outer, ctx).dtype, None), ctx)
        return
    proto = type(outer.type_proto)()
    proto.CopyFrom(outer.type_proto)
    inner = proto.optional_type.elem_type
    inner = inner.sequence_type.elem_type if inner.HasField("sequence_type") else inner
    if inner.HasField("tensor_type"):
        inner.tensor_type.ClearField("shape")
    set_type(value, proto, ctx)


def declared_rank(value: Value) -> int | None:
    """The rank the file gives a body input: onnxruntime makes counter and condition of that rank."""
    info = value.info
    if info is None or not hasattr(info, "type") or not info.type.tensor_type.HasField("shape"):
        return None
    return len(info.type.tensor_type.shape.dim)


def _set_final(value: Value, start: Value | None, entering: Value, result: Value, runs: bool, outside: Outside) -> None:
    """A carried value after the last iteration: what left the body last, or what came in if it never ran."""
    ctx = outside.ctx
    if start is not None and unchanged(entering, result):
        _set_like(value, start, ctx)
        return
    if is_sequence(result):
        set_sequence(value, Element(element(result, ctx).dtype, None), ctx)
        return
    if result.type_proto is not None and not result.dtype:
        return
    last = outside.sizes(None if result.doubtful else result.shape)
    if not runs:
        last = None if start is None or start.doubtful else common_sizes(start.shape, last)
    ctx.set(value, result.dtype or (0 if start is None else start.dtype), _stated(last, ctx))


def trip_count(node: Node, body: Graph, ctx: Any) -> Size | None:
    """How often the body runs, when nothing but M limits that."""
    limit, condition = node.inputs[0], node.inputs[1]
    first = None if condition is None else ctx.ints(condition)
    if first is not None and len(first) == 1 and not first[0]:
        return 0
    bound = ctx.data(limit)
    if bound is None or len(bound) != 1:
        return None
    if type(bound[0]) is int and bound[0] <= 0:
        return 0
    if condition is not None and first is None:
        return None
    again = body.outputs[0]
    stays = None if again.is_input else ctx.ints(again)
    if not unchanged(body.inputs[1], again) and (stays is None or len(stays) != 1 or not stays[0]):
        return None
    trips: Size = maximum(bound[0], 0)
    return trips


# --- Scan ------------------------------------------------------------------------------------------------------------
@SHAPES.register("Scan", since=9)
def scan_shape(node: Node, ctx: Any) -> None:
    """State keeps type and shape; scanned inputs lose their axis and outputs gain one.  Source: ONNX Scan-9..23.

    onnxruntime refuses a state whose shape changes, and a scanned axis of size 0.
    """
    scanned = integer(node, "num_scan_inputs", 0)
    states = len(node.inputs) - scanned
    body = body_of(node, len(node.inputs), len(node.outputs))
    if body is None or states < 0 or len(node.outputs) < states or None in node.inputs:
        return
    for outer, value in zip(node.inputs[:states], body.inputs, strict=False):
        give(value, outer.dtype, outer.shape, ctx)  # type: ignore[union-attr]
    axes = integers(node, "scan_input_axes") or (0,) * scanned
    trips: Size | None = None
    for index in range(scanned):
        outer = node.inputs[states + index]
        shape = None if outer is None or index >= len(axes) else outer.shape
        axis = _axis(axes[index], shape) if shape else None
        if axis is None or shape is None:
            give(body.inputs[states + index], 0 if outer is None else outer.dtype, None, ctx)
            continue
        if type(trips) is not int:
            trips = shape[axis]
        assert outer is not None
        give(body.inputs[states + index], outer.dtype, shape[:axis] + shape[axis + 1:], ctx)
    if visit(body, ctx):
        _set_scan_outputs(node, body, states, trips, ctx)


def _set_scan_outputs(node: Node, body: Graph, states: int, trips: Size | None, ctx: Any) -> None:
    outside = Outside(body, ctx)
    for index in range(states):
        start, result = node.inputs[index], body.outputs[index]
        assert start is not None
        shape = start.shape if start.shape is not None else _stated(outside.sizes(result.shape), ctx)
        ctx.set(node.outputs[index], start.dtype or result.dtype, shape)
    axes = integers(node, "scan_output_axes") or (0,) * (len(node.outputs) - states)
    for index, value in enumerate(node.outputs[states:]):
        row = body.outputs[states + index]
        shape = _stated(outside.sizes(None if row.doubtful else row.shape), ctx)
        if shape is not None and index < len(axes):
            axis = axes[index] + (len(shape) + 1 if axes[index] < 0 else 0)
            if 0 <= axis <= len(shape):
                shape.insert(axis, ctx.fresh() if trips is None else trips)
                ctx.set(value, row.dtype, shape)
                continue
        ctx.set(value, row.dtype)


def _axis(axis: int, shape: tuple[Size, ...]) -> int | None:
    axis += len(shape) if axis < 0 else 0
    return axis if 0 <= axis < len(shape) else None


@SHAPES.register("Scan", since=8)
def scan8_shape(node: Node, ctx: Any) -> None:
    """Scan over batches: the body sees neither the batch nor the sequence axis.  Source: ONNX Scan-8."""
    scanned = integer(node, "num_scan_inputs", 0)
    outers = node.inputs[1:]
    states = len(outers) - scanned
    body = body_of(node, len(outers), len(node.outputs))
    if body is None or states < 0 or len(node.outputs) < states or None in outers:
        return
    lead: list[Size | None] = [None, None]
    for index, (outer, value) in enumerate(zip(outers, body.inputs, strict=True)):
        skip = 1 if index < states else 2
        shape = outer.shape  # type: ignore[union-attr]
        if shape is None or len(shape) < skip:
            give(value, outer.dtype, None, ctx)  # type: ignore[union-attr]
            continue
        lead[0] = shape[0] if type(lead[0]) is not int else lead[0]
        if skip == 2 and type(lead[1]) is not int:
            lead[1] = shape[1]
        give(value, outer.dtype, shape[skip:], ctx)  # type: ignore[union-attr]
    if not visit(body, ctx):
        return
    outside = Outside(body, ctx)
    for index, (value, row) in enumerate(zip(node.outputs, body.outputs, strict=True)):
        sizes = outside.sizes(None if row.doubtful else row.shape)
        axes = tuple(lead[:1] if index < states else lead)
        ctx.set(value, row.dtype, None if sizes is None else _stated(axes + sizes, ctx))
