"""Sequences and optionals: what is known of the tensors in them."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size
from ..ir.dtypes import BOOL, FLOAT, INT64, NAMES
from ..ir.graph import Node, Value
from .attributes import integer
from .bodies import Outside, body_of, give, visit
from .containers import (
    UNKNOWN,
    Element,
    Sizes,
    element,
    held_tensor,
    is_sequence,
    merge_elements,
    optional_type,
    sequence_type,
    set_sequence,
    set_tensor,
    set_type,
    tensor_type,
)
from .registry import SHAPES

CHUNKS = 4096
"""A split into more pieces than this is not looked into."""


# --- making and reading sequences ------------------------------------------------------------------------------------
@SHAPES.register("SequenceConstruct")
def sequence_construct_shape(node: Node, ctx: Any) -> None:
    """What all the tensors have in common.  Source: ONNX SequenceConstruct-11."""
    if node.outputs:
        set_sequence(node.outputs[0], merge_elements([_facts(v) for v in node.inputs if v is not None]), ctx)


@SHAPES.register("SequenceEmpty")
def sequence_empty_shape(node: Node, ctx: Any) -> None:
    """A sequence of tensors of type `dtype`, float by default.  Source: ONNX SequenceEmpty-11."""
    if node.outputs:
        dtype = integer(node, "dtype", FLOAT)
        set_sequence(node.outputs[0], Element(dtype if dtype in NAMES else 0, None), ctx)


@SHAPES.register("SequenceInsert")
def sequence_insert_shape(node: Node, ctx: Any) -> None:
    """What the sequence and the new tensor have in common.  Source: ONNX SequenceInsert-11."""
    sequence, tensor = node.input(0), node.input(1)
    if sequence is None or tensor is None or not node.outputs:
        return
    if sequence.producer("SequenceEmpty") is not None:
        set_sequence(node.outputs[0], _facts(tensor), ctx)
        return
    found = merge_elements([element(sequence, ctx), _facts(tensor)])
    set_sequence(node.outputs[0], found, ctx)


@SHAPES.register("SequenceErase")
def sequence_erase_shape(node: Node, ctx: Any) -> None:
    """The type of the sequence.  Source: ONNX SequenceErase-11."""
    if node.outputs:
        set_sequence(node.outputs[0], element(node.input(0), ctx), ctx)


@SHAPES.register("SequenceAt")
def sequence_at_shape(node: Node, ctx: Any) -> None:
    """The tensor at a position: the very one when it is known which, else what is common to all.

    Source: ONNX SequenceAt-11.
    """
    sequence, where = node.input(0), ctx.ints(node.input(1))
    if sequence is None or not node.outputs:
        return
    value = node.outputs[0]
    position = where[0] if where is not None and len(where) == 1 else None
    made = sequence.producer("SequenceConstruct")
    if made is not None and position is not None and -len(made.inputs) <= position < len(made.inputs):
        found = made.inputs[position]
        if found is not None and not found.doubtful:
            ctx.set(value, found.dtype, found.shape, ctx.data(found))
            return
    split = sequence.producer("SplitToSequence")
    if split is not None and position is not None:
        sizes = chunk_sizes(split, ctx)
        if sizes is not None and -len(sizes) <= position < len(sizes):
            set_tensor(value, _chunk(split, sizes[position], ctx), ctx)
            return
    set_tensor(value, element(sequence, ctx), ctx)


@SHAPES.register("SequenceLength")
def sequence_length_shape(node: Node, ctx: Any) -> None:
    """A scalar; its number when the sequence is made right here.  Source: ONNX SequenceLength-11."""
    sequence = node.input(0)
    if sequence is None or not node.outputs:
        return
    count = _length(sequence, ctx)
    ctx.set(node.outputs[0], INT64, (), None if count is None else (count,))


def _length(sequence: Value, ctx: Any) -> int | None:
    node = sequence.node
    if node is None or node.domain:
        return None
    if node.op_type == "SequenceEmpty":
        return 0
    if node.op_type == "SequenceConstruct":
        return len(node.inputs)
    if node.op_type == "SplitToSequence":
        sizes = chunk_sizes(node, ctx)
        return None if sizes is None else len(sizes)
    return None


# --- splitting and joining -------------------------------------------------------------------------------------------
@SHAPES.register("SplitToSequence")
def split_to_sequence_shape(node: Node, ctx: Any) -> None:
    """Pieces along `axis`; without `split` they are of size 1, and keepdims=0 drops the axis.

    Source: ONNX SplitToSequence-11..24.
    """
    if not node.outputs:
        return
    sizes = chunk_sizes(node, ctx)
    if sizes is not None and sizes:
        size: Size | None = sizes[0] if sizes.count(sizes[0]) == len(sizes) else None
    else:
        size = 1 if node.input(1) is None else None
    set_sequence(node.outputs[0], _chunk(node, size, ctx), ctx)


def chunk_sizes(node: Node, ctx: Any) -> list[int] | None:
    """Sizes of the pieces along the axis, when all of them are known numbers."""
    x, split = node.input(0), node.input(1)
    axis = split_axis(node)
    if x is None or axis is None:
        return None
    total = x.shape[axis]  # type: ignore[index]
    parts = ctx.ints(split)
    if split is not None:
        if parts is None or split.shape is None:
            return None
        if split.shape:
            return list(parts)
    step = 1 if parts is None else parts[0]
    if type(total) is not int or step < 1 or total > step * CHUNKS:
        return None
    return [min(step, total - start) for start in range(0, total, step)]


def split_axis(node: Node) -> int | None:
    x = node.input(0)
    if x is None or x.shape is None:
        return None
    axis: int = integer(node, "axis", 0)
    axis += len(x.shape) if axis < 0 else 0
    return axis if 0 <= axis < len(x.shape) else None


def drops_axis(node: Node) -> bool | None:
    """keepdims=0 is for splits without `split`; onnxruntime heeds it for a scalar one too, where ONNX ignores it."""
    split = node.input(1)
    if integer(node, "keepdims", 1):
        return False
    if split is None:
        return True
    return None if split.shape is None or not split.shape else False


def _chunk(node: Node, size: Size | None, ctx: Any) -> Element:
    """A piece of this size (None = unknown) along the axis."""
    x, axis = node.input(0), split_axis(node)
    if x is None:
        return UNKNOWN
    drops = drops_axis(node)
    if axis is None or x.shape is None or drops is None:
        return Element(x.dtype, None)
    if drops:
        return Element(x.dtype, x.shape[:axis] + x.shape[axis + 1:])
    return Element(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1:]))


@SHAPES.register("ConcatFromSequence")
def concat_from_sequence_shape(node: Node, ctx: Any) -> None:
    """Tensors joined along `axis`, or stacked along a new one with new_axis=1.  Source: ONNX ConcatFromSequence-11."""
    sequence = node.input(0)
    if sequence is None or not node.outputs:
        return
    dtype, sizes = element(sequence, ctx)
    axis = node.attribute("axis")
    if sizes is None or type(axis) is not int:
        ctx.set(node.outputs[0], dtype)
        return
    count = _length(sequence, ctx)
    stacked = integer(node, "new_axis", 0)
    rank = len(sizes) + (1 if stacked else 0)
    axis += rank if axis < 0 else 0
    if not 0 <= axis < rank:
        return
    joined: Sizes
    if stacked:
        joined = (*sizes[:axis], count, *sizes[axis:])
    else:
        joined = (*sizes[:axis], _joined(sequence, axis, ctx), *sizes[axis + 1:])
    set_tensor(node.outputs[0], Element(dtype, joined), ctx)


def _joined(sequence: Value, axis: int, ctx: Any) -> Size | None:
    """Size along the joined axis when the tensors are at hand."""
    node = sequence.node
    if node is None or node.domain:
        return None
    if node.op_type == "SplitToSequence" and split_axis(node) == axis and drops_axis(node) is False:
        return node.inputs[0].shape[axis]  # type: ignore[union-attr, index]
    if node.op_type != "SequenceConstruct":
        return None
    size: Size = 0
    for value in node.inputs:
        if value is None or value.shape is None or value.doubtful:
            return None
        size = size + value.shape[axis]
    return size


def _facts(value: Value) -> Element:
    return Element(value.dtype, None if value.doubtful else value.shape)


# --- SequenceMap -----------------------------------------------------------------------------------------------------
@SHAPES.register("SequenceMap")
def sequence_map_shape(node: Node, ctx: Any) -> None:
    """Sequences of what the body gives for one element.  Source: ONNX SequenceMap-17."""
    body = body_of(node, len(node.inputs), len(node.outputs))
    if body is None or None in node.inputs:
        return
    for outer, value in zip(node.inputs, body.inputs, strict=True):
        assert outer is not None
        if is_sequence(outer):
            dtype, sizes = element(outer, ctx)
            give(value, dtype, _filled(sizes, value.shape, ctx), ctx)
        else:
            give(value, outer.dtype, None if outer.doubtful else outer.shape, ctx)
    if not visit(body, ctx):
        return
    outside = Outside(body, ctx)
    for value, result in zip(node.outputs, body.outputs, strict=True):
        sizes = outside.sizes(None if result.doubtful else result.shape)
        set_sequence(value, Element(result.dtype, sizes), ctx)


def _filled(sizes: Sizes, known: Any, ctx: Any) -> tuple[Size, ...] | None:
    """The sizes with fresh ones in the gaps: those of last time if they are there."""
    if sizes is None:
        return None
    found: list[Size] = []
    for axis, size in enumerate(sizes):
        if size is None:
            old = known[axis] if known is not None and len(known) == len(sizes) else None
            size = old if old is not None and type(old) is not int and ctx.symbols.is_anonymous(old) else ctx.fresh()
        found.append(size)
    return tuple(found)


# --- optionals -------------------------------------------------------------------------------------------------------
@SHAPES.register("Optional")
def optional_shape(node: Node, ctx: Any) -> None:
    """An optional of the input's type, or of the `type` attribute.  Source: ONNX Optional-15."""
    if not node.outputs:
        return
    held = node.input(0)
    if held is None:
        attribute = node.attribute("type")
        if attribute is not None and hasattr(attribute, "tp"):
            set_type(node.outputs[0], optional_type(attribute.tp), ctx)
    elif held.dtype:
        set_type(node.outputs[0], optional_type(tensor_type(*_facts(held))), ctx)
    elif is_sequence(held):
        set_type(node.outputs[0], optional_type(sequence_type(tensor_type(*element(held, ctx)))), ctx)


@SHAPES.register("OptionalGetElement")
def optional_get_element_shape(node: Node, ctx: Any) -> None:
    """What the optional holds; a tensor or sequence stands for itself since opset 18.

    Source: ONNX OptionalGetElement-15, -18.
    """
    optional = node.input(0)
    if optional is None or not node.outputs:
        return
    made = optional.producer("Optional")
    held = made.input(0) if made is not None else optional if optional.dtype or is_sequence(optional) else None
    value = node.outputs[0]
    if held is not None and held.dtype:
        ctx.set(value, held.dtype, None if held.doubtful else held.shape, ctx.data(held))
    elif element(optional, ctx).dtype:
        set_sequence(value, element(optional, ctx), ctx)
    else:
        set_tensor(value, held_tensor(optional, ctx), ctx)


@SHAPES.register("OptionalHasElement")
def optional_has_element_shape(node: Node, ctx: Any) -> None:
    """A bool scalar, known when the optional is made right here or is none.

    Source: ONNX OptionalHasElement-15, -18.
    """
    if not node.outputs:
        return
    optional = node.input(0)
    known: bool | None = None
    if optional is None:
        known = False
    elif optional.dtype or is_sequence(optional):
        known = True
    else:
        made = optional.producer("Optional")
        known = None if made is None else made.input(0) is not None
    ctx.set(node.outputs[0], BOOL, (), None if known is None else (int(known),))
