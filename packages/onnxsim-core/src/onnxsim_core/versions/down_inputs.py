"""Downwards: inputs that were attributes before; they must be constant."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, exact_div
from ..ir.dtypes import FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, skip
from .steps import down, numbers, rank_of, rebuilt
from .up_inputs import REDUCTIONS

TRANSPARENT = frozenset({"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"})
"""Reductions that give the input back when they reduce no axis."""


@down("ReduceSum", at=13)
@down(*REDUCTIONS, at=18)
def axes_become_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Value | Skip:
    """f(x, [..]) -> f<axes=[..]>(x); without axes and with noop_with_empty_axes=1, x.

    Source: ONNX ReduceSum-11 and -13, ReduceMean-13 and -18.
    """
    axes = None
    if node.input(1) is not None:
        axes = op.ctx.ints(node.inputs[1])
        if axes is None:
            return skip("the axes are not constant")
    if not axes and node.attribute("noop_with_empty_axes", 0):
        if node.op_type not in TRANSPARENT:
            return skip("it reduces no axis")
        same: Value = op.Identity(node.inputs[0])
        return same
    return rebuilt(op, node, node.inputs[:1], axes=axes or None, noop_with_empty_axes=None)


@down("Squeeze", "Unsqueeze", at=13)
def squeezed_axes_become_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Squeeze(x, [..]) -> Squeeze<axes=[..]>(x).  Source: ONNX Squeeze-11 and -13."""
    if node.input(1) is None:
        return None
    axes = op.ctx.ints(node.inputs[1])
    return skip("the axes are not constant") if axes is None else rebuilt(op, node, node.inputs[:1], axes=axes)


@down("Split", at=13)
def sizes_become_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Split(x, [..]) -> Split<split=[..]>(x).  Source: ONNX Split-11 and -13."""
    if node.input(1) is None:
        return None
    sizes = op.ctx.ints(node.inputs[1])
    return skip("the sizes are not constant") if sizes is None else rebuilt(op, node, node.inputs[:1], split=sizes)


@down("Split", at=18)
def parts_of_one_size(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Split<num_outputs=n>(x) -> Split(x) if n divides the size, else with the sizes written out.

    Source: ONNX Split-13 and -18, where the last part may be smaller.
    """
    count = node.attribute("num_outputs")
    if count is None:
        return None
    size = _split_size(node)
    if size is not None and count and exact_div(size, count) is not None:
        return rebuilt(op, node, node.inputs, num_outputs=None)
    if type(size) is not int or not count:
        return skip("the size of the axis is unknown, and the parts may differ")
    part = -(-size // count)
    sizes = [max(0, min(part, size - part * index)) for index in range(count)]
    return rebuilt(op, node, [node.inputs[0], op.ints(sizes)], num_outputs=None)


def _split_size(node: Node) -> Size | None:
    x, axis = node.inputs[0], node.attribute("axis", 0)
    if x is None or x.shape is None or not -len(x.shape) <= axis < len(x.shape):
        return None
    size: Size = x.shape[axis]
    return size


@down("Slice", at=10)
def ranges_become_attributes(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Slice(x, starts, ends, axes) -> Slice<starts, ends, axes>(x).  Source: ONNX Slice-1 and -10."""
    starts, ends = op.ctx.ints(node.input(1)), op.ctx.ints(node.input(2))
    axes, steps = op.ctx.ints(node.input(3)), op.ctx.ints(node.input(4))
    if starts is None or ends is None or (axes is None and node.input(3) is not None):
        return skip("starts, ends or axes are not constant")
    if node.input(4) is not None and (steps is None or any(step != 1 for step in steps)):
        return skip("its steps are not 1")
    return rebuilt(op, node, node.inputs[:1], starts=starts, ends=ends, axes=axes)


@down("Pad", at=18)
def pads_of_all_axes(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Pad(x, pads, value, axes) -> Pad(x, pads of all axes, value).  Source: ONNX Pad-13 and -18."""
    if node.input(3) is None:
        return None
    rank, axes, pads = rank_of(node.inputs[0]), op.ctx.ints(node.inputs[3]), op.ctx.ints(node.input(1))
    if rank is None or axes is None or pads is None or len(pads) != 2 * len(axes):
        return skip("axes, pads or the rank are unknown")
    whole = [0] * (2 * rank)
    for index, axis in enumerate(axes):
        whole[axis % rank] = pads[index]
        whole[axis % rank + rank] = pads[index + len(axes)]
    return rebuilt(op, node, [node.inputs[0], op.ints(whole), node.input(2)])


@down("Pad", at=11)
def pads_become_attributes(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Pad(x, pads, value) -> Pad<pads, value>(x).  Source: ONNX Pad-2 and -11."""
    pads, value = op.ctx.ints(node.input(1)), op.ctx.scalar(node.input(2))
    if pads is None or (value is None and node.input(2) is not None):
        return skip("pads or value are not constant")
    return rebuilt(op, node, node.inputs[:1], pads=pads, value=float(value) if value else None)


@down("Clip", at=11)
def bounds_become_attributes(node: Node, op: Builder) -> tuple[Value, ...] | Value:
    """Clip(x, min, max) -> Clip<min, max>(x), and Min(Max(x, min), max) where they are not constant floats.

    Source: ONNX Clip-6 and Clip-11; Max-8 and Min-8.
    """
    x, bounds = node.inputs[0], [node.input(1), node.input(2)]
    found = [None if bound is None else op.ctx.scalar(bound) for bound in bounds]
    exact = x is not None and x.dtype in (FLOAT, FLOAT16)
    if exact and all(number is not None or bound is None for number, bound in zip(found, bounds)):
        pairs = zip(("min", "max"), found)
        names: dict[str, Any] = {name: float(number) for name, number in pairs if number is not None}
        return rebuilt(op, node, [x], **names)
    value: Value | None = x
    for op_type, bound in zip(("Max", "Min"), bounds):
        if bound is not None:
            value = op.node(op_type, [value, bound])[0]
    result: Value = op.Identity(x) if value is None or value is x else value
    return result


@down("TopK", at=10)
def count_becomes_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """TopK(x, [k]) -> TopK<k>(x).  Source: ONNX TopK-1 and -10."""
    count = op.ctx.scalar(node.input(1))
    return skip("k is not constant") if count is None else rebuilt(op, node, node.inputs[:1], k=int(count))


@down("TopK", at=11)
def largest_first(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """TopK<largest=1, sorted>(x, k) -> TopK(x, k), whose result is sorted.  Source: ONNX TopK-10 and -11."""
    if not node.attribute("largest", 1):
        return skip("it takes the smallest elements")
    return rebuilt(op, node, node.inputs, largest=None, sorted=None)


@down("Dropout", at=12)
def ratio_becomes_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Dropout(x, ratio) -> Dropout<ratio>(x).

    Source: ONNX Dropout-10 and -12; onnxruntime, whose mask says in older versions that everything was dropped.
    """
    if len(node.outputs) > 1 and not node.outputs[1].is_dead:
        return skip("its mask is read")
    training = numbers(node.input(2))
    if node.input(2) is not None and (training is None or training.any()):
        return skip("it may run in training mode")
    ratio = op.ctx.scalar(node.input(1))
    if ratio is None and node.input(1) is not None:
        return skip("the ratio is not constant")
    return rebuilt(op, node, node.inputs[:1], seed=None, ratio=None if ratio is None else float(ratio))


@down("DFT", at=20)
def axis_becomes_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """DFT(x, length, axis) -> DFT<axis>(x, length).  Source: ONNX DFT-17 and -20."""
    axis = -2 if node.input(2) is None else op.ctx.scalar(node.inputs[2])
    rank = rank_of(node.inputs[0])
    if axis is None or (axis < 0 and rank is None):
        return skip("the axis or the rank is unknown")
    axis = int(axis) + rank if axis < 0 and rank is not None else int(axis)
    return rebuilt(op, node, node.inputs[:2], axis=axis)


@down("Unsqueeze", "Squeeze", *REDUCTIONS, "ReduceSum", at=11)
def axes_from_the_front(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """axes=[-1] -> axes=[rank - 1].  Source: ONNX Squeeze-1 and -11."""
    axes = node.attribute("axes")
    if axes is None or all(axis >= 0 for axis in axes):
        return None
    rank = rank_of(node.inputs[0])
    if rank is None:
        return skip("an axis counts from the end and the rank is unknown")
    rank += len(axes) if node.op_type == "Unsqueeze" else 0
    return rebuilt(op, node, node.inputs, axes=tuple(axis % rank for axis in axes))


@down("Concat", "Flatten", "Gather", "Softmax", "LogSoftmax", "Hardmax", "Split", "ArgMax", "ArgMin", "OneHot",
      "Compress", at=11)
def axis_from_the_front(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """axis=-1 -> axis=rank - 1.  Source: ONNX Concat-4 and -11."""
    axis = node.attribute("axis")
    if axis is None or axis >= 0:
        return None
    ranks = [rank for rank in map(rank_of, node.inputs[:1] if node.op_type != "Concat" else node.inputs)
             if rank is not None]
    if not ranks:
        return skip("the axis counts from the end and the rank is unknown")
    return rebuilt(op, node, node.inputs, axis=axis + ranks[0] + (1 if node.op_type == "OneHot" else 0))


@down("Slice", at=11)
def slice_axes_from_the_front(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Slice axes [-1] -> [rank - 1].  Source: ONNX Slice-10 and -11."""
    if node.input(3) is None:
        return None
    axes, rank = op.ctx.ints(node.inputs[3]), rank_of(node.inputs[0])
    if axes is not None and all(axis >= 0 for axis in axes):
        return None
    if axes is None or rank is None:
        return skip("an axis may count from the end and the rank or the axes are unknown")
    inputs = list(node.inputs)
    inputs[3] = op.ints([axis % rank for axis in axes])
    return rebuilt(op, node, inputs)
