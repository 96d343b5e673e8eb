"""Downwards: Resize, which came from Upsample and learned much on the way."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, skip
from .steps import down, numbers, rank_of, rebuilt

ROUND_HALF = (b"round_prefer_floor", b"round_prefer_ceil")


@down("Resize", at=19)
def known_coordinates(node: Node, op: Builder) -> Skip | None:
    """Resize without what is new in 19 -> the same.  Source: ONNX Resize-18 and -19."""
    if node.attribute("coordinate_transformation_mode") == b"half_pixel_symmetric":
        return skip("its coordinate_transformation_mode is half_pixel_symmetric")
    return None


@down("Resize", at=18)
def all_axes(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Resize<axes>(x, roi, scales) -> Resize(x, roi, scales of all axes).  Source: ONNX Resize-13 and -18."""
    if node.attribute("antialias", 0):
        return skip("it uses antialias")
    if node.attribute("keep_aspect_ratio_policy", b"stretch") != b"stretch" and node.input(3) is not None:
        return skip("it keeps the aspect ratio")
    changes: dict[str, Any] = {"antialias": None, "keep_aspect_ratio_policy": None, "axes": None}
    axes = node.attribute("axes")
    if axes is None:
        return rebuilt(op, node, node.inputs, **changes) if changes.keys() & node.attributes.keys() else None
    x, scales, sizes = node.inputs[0], numbers(node.input(2)), op.ctx.data(node.input(3))
    rank = rank_of(x)
    if x is None or x.shape is None or rank is None or node.input(1) is not None and node.attribute(
            "coordinate_transformation_mode") == b"tf_crop_and_resize":
        return skip("axes are given and the rank is unknown, or a part is cut out")
    inputs = _inputs_of_all_axes(node, op, axes, rank, scales, sizes)
    return skip("axes are given and scales or sizes are not constant") if inputs is None else \
        rebuilt(op, node, inputs, **changes)


def _inputs_of_all_axes(node: Node, op: Builder, axes: tuple[int, ...], rank: int, scales: Any,
                        sizes: Any) -> list[Value | None] | None:
    import numpy as np

    x = node.inputs[0]
    assert x is not None and x.shape is not None
    if node.input(3) is None:
        if scales is None or len(scales) != len(axes):
            return None
        whole = np.ones(rank, np.float32)
        whole[[axis % rank for axis in axes]] = scales
        return [x, None, op.constant(whole)]
    if sizes is None or len(sizes) != len(axes):
        return None
    wanted = list(x.shape)
    for axis, size in zip(axes, sizes):
        wanted[axis % rank] = size
    if any(type(size) is not int for size in wanted):
        return None
    return [x, None, None, op.ints(wanted)]  # type: ignore[arg-type]


@down("Resize", at=13)
def empty_inputs(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """Resize(x, , scales) -> Resize(x, [], scales), and likewise for scales left out.  Source: ONNX Resize-11, -13."""
    import numpy as np

    if node.input(1) is not None and node.input(2) is not None:
        return None
    filled = [value or op.constant(np.array([], np.float32)) for value in (node.input(1), node.input(2))]
    return rebuilt(op, node, [node.inputs[0], *filled, node.input(3)])


@down("Resize", at=11)
def from_the_corner(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Resize<asymmetric>(x, roi, scales) -> Resize(x, scales).

    Exact: nearest with half pixels picks what asymmetric with floor does when all scales are whole numbers.
    Source: ONNX Resize-10 and -11, and onnxruntime for how Resize-10 rounds.
    """
    mode = node.attribute("mode", b"nearest")
    scales = _scales(node, op)
    if mode not in (b"nearest", b"linear"):
        return skip("its mode is cubic")
    if scales is None:
        return skip("its scales are not constant")
    coordinates = node.attribute("coordinate_transformation_mode", b"half_pixel")
    rounding = node.attribute("nearest_mode", b"round_prefer_floor")
    found = scales[1]
    whole = (found == found.round()).all() and (found >= 1).all()
    if mode == b"linear":
        fits = coordinates == b"asymmetric"
    elif coordinates == b"asymmetric":
        fits = rounding == b"floor" and (found >= 1).all() or rounding == b"ceil" and (found <= 1).all()
    else:
        fits = whole and (coordinates == b"half_pixel" and rounding in ROUND_HALF
                          or coordinates == b"tf_half_pixel_for_nn" and rounding == b"floor")
    if not fits:
        return skip("it rounds in a way that did not exist")
    return rebuilt(op, node, [node.inputs[0], scales[0]], coordinate_transformation_mode=None, nearest_mode=None,
                   cubic_coeff_a=None, exclude_outside=None, extrapolation_value=None)


def _scales(node: Node, op: Builder) -> tuple[Value, Any] | None:
    """The scales as a value and as numbers; from the sizes when those are given."""
    import numpy as np

    x, sizes = node.inputs[0], op.ctx.ints(node.input(3))
    if node.input(3) is None:
        found = numbers(node.input(2))
        return None if found is None else (node.inputs[2], found)  # type: ignore[return-value]
    if sizes is None or x is None or x.shape is None or len(sizes) != len(x.shape):
        return None
    if any(type(size) is not int or size < 1 for size in x.shape):
        return None
    found = np.array([wanted / size for wanted, size in zip(sizes, x.shape)], np.float32)  # type: ignore[operator]
    if any(int(np.float32(size) * scale) != wanted  # type: ignore[arg-type]
           for wanted, size, scale in zip(sizes, x.shape, found)):
        return None
    return op.constant(found), found


@down("Resize", at=10)
def upsample(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Resize(x, scales) -> Upsample(x, scales) where it does not shrink.  Source: ONNX Upsample-9, Resize-10."""
    scales = numbers(node.input(1))
    if scales is None or not (scales >= 1).all():
        return skip("its scales are not constant, or it shrinks")
    return rebuilt(op, node, node.inputs, op_type="Upsample")


@down("Upsample", at=9)
def scales_become_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Upsample(x, scales) -> Upsample<scales>(x).  Source: ONNX Upsample-7 and -9."""
    scales = numbers(node.input(1))
    if scales is None:
        return skip("its scales are not constant")
    return rebuilt(op, node, node.inputs[:1], scales=tuple(float(scale) for scale in scales))
