"""Upwards: attributes that became inputs."""

from __future__ import annotations

from ..ir.dtypes import numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, skip
from .steps import rebuilt, up

REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
              "ReduceProd", "ReduceSumSquare")


@up("Squeeze", "Unsqueeze", "ReduceSum", at=13)
@up(*REDUCTIONS, at=18)
def axes_become_an_input(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """f<axes=[..]>(x) -> f(x, [..]).  Source: ONNX Squeeze-13, Unsqueeze-13, ReduceSum-13, ReduceMean-18."""
    axes = node.attribute("axes")
    if axes is None:
        return None
    return rebuilt(op, node, [node.inputs[0], op.ints(axes) if axes else None], axes=None)


@up("Split", at=13)
def sizes_become_an_input(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """Split<split=[..]>(x) -> Split(x, [..]).  Source: ONNX Split-13."""
    split = node.attribute("split")
    return None if split is None else rebuilt(op, node, [node.inputs[0], op.ints(split)], split=None)


@up("Split", at=18)
def say_how_many_parts(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """Split(x) -> Split<num_outputs=n>(x).  Source: ONNX Split-18."""
    if node.input(1) is not None:
        return None
    return rebuilt(op, node, node.inputs, num_outputs=len(node.outputs))


@up("Slice", at=10)
def ranges_become_inputs(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Slice<starts, ends, axes>(x) -> Slice(x, starts, ends, axes).  Source: ONNX Slice-10."""
    starts, ends, axes = (node.attribute(name) for name in ("starts", "ends", "axes"))
    if starts is None or ends is None:
        return skip("starts or ends are missing")
    inputs = [node.inputs[0], op.ints(starts), op.ints(ends), None if axes is None else op.ints(axes)]
    return rebuilt(op, node, inputs, starts=None, ends=None, axes=None)


@up("Pad", at=11)
def pads_become_inputs(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Pad<pads, value>(x) -> Pad(x, pads, value).  Source: ONNX Pad-11."""
    pads, value = node.attribute("pads"), node.attribute("value", 0.0)
    if pads is None:
        return skip("pads are missing")
    fill = None
    if value:
        fill = scalar(node, op, value)
        if fill is None:
            return skip("the type of input 0 is unknown")
    return rebuilt(op, node, [node.inputs[0], op.ints(pads), fill], pads=None, value=None)


@up("Clip", at=11)
def bounds_become_inputs(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Clip<min, max>(x) -> Clip(x, min, max).  Source: ONNX Clip-11."""
    bounds = [node.attribute(name) for name in ("min", "max")]
    values = [None if bound is None else scalar(node, op, bound) for bound in bounds]
    if any(value is None and bound is not None for value, bound in zip(values, bounds)):
        return skip("the type of input 0 is unknown")
    return rebuilt(op, node, [node.inputs[0], *values], min=None, max=None)


@up("TopK", at=10)
def count_becomes_an_input(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """TopK<k>(x) -> TopK(x, [k]).  Source: ONNX TopK-10."""
    count = node.attribute("k")
    return skip("k is missing") if count is None else rebuilt(op, node, [node.inputs[0], op.ints([count])], k=None)


@up("Dropout", at=12)
def ratio_becomes_an_input(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Dropout<ratio>(x) -> Dropout(x, ratio), which drops nothing either.

    Source: ONNX Dropout-12; onnxruntime, whose mask says in older versions that everything was dropped.
    """
    import numpy as np

    if len(node.outputs) > 1 and not node.outputs[1].is_dead:
        return skip("its mask is read")
    ratio = node.attribute("ratio")
    if ratio is None:
        return None
    return rebuilt(op, node, [node.inputs[0], op.constant(np.array(ratio, np.float32))], ratio=None)


@up("Upsample", at=9)
def scales_become_an_input(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Upsample<scales>(x) -> Upsample(x, scales).  Source: ONNX Upsample-9."""
    import numpy as np

    scales = node.attribute("scales")
    if scales is None:
        return skip("scales are missing")
    return rebuilt(op, node, [node.inputs[0], op.constant(np.array(scales, np.float32))], scales=None)


@up("DFT", at=20)
def axis_becomes_an_input(node: Node, op: Builder) -> tuple[Value, ...]:
    """DFT<axis>(x, length) -> DFT(x, length, axis).  Source: ONNX DFT-20, whose default axis is another."""
    import numpy as np

    axis = op.constant(np.array(node.attribute("axis", 1), np.int64))
    return rebuilt(op, node, [node.inputs[0], node.input(1), axis], axis=None)


def scalar(node: Node, op: Builder, number: float) -> Value | None:
    """A scalar constant of the type of the first input, or None when that is unknown."""
    import numpy as np

    x = node.inputs[0]
    if x is None or not x.dtype:
        return None
    return op.constant(np.array(number).astype(numpy_dtype(x.dtype)))
