"""Values that are not tensors: what is known of the elements of a sequence and of what an optional holds.

They are kept as TypeProto in `Value.type_proto`. Sizes go in as numbers or as the name of a symbol; a formula is left
out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from ..ir.dims import Dim, Size
from ..ir.graph import Value

Sizes: TypeAlias = "tuple[Size | None, ...] | None"
"""A shape with None for a size nothing is known of; None when not even the rank is known."""


class Element(NamedTuple):
    """Type of a tensor inside: element type (0 = unknown) and shape."""

    dtype: int
    shape: Sizes


UNKNOWN = Element(0, None)


def element(value: Value | None, ctx: Any) -> Element:
    """What every tensor of a sequence (or of an optional sequence) is known to be."""
    proto = None if value is None else value.type_proto
    if proto is not None and proto.WhichOneof("value") == "optional_type":
        proto = proto.optional_type.elem_type
    if proto is None or proto.WhichOneof("value") != "sequence_type":
        return UNKNOWN
    return _tensor(proto.sequence_type.elem_type, value, ctx)


def held_tensor(value: Value | None, ctx: Any) -> Element:
    """What the tensor in an optional is known to be."""
    proto = None if value is None else value.type_proto
    if proto is None or proto.WhichOneof("value") != "optional_type":
        return UNKNOWN
    return _tensor(proto.optional_type.elem_type, value, ctx)


def is_sequence(value: Value) -> bool:
    """Is the value known to be a sequence?"""
    proto = value.type_proto
    return proto is not None and not value.dtype and proto.WhichOneof("value") == "sequence_type"


def _tensor(proto: Any, value: Any, ctx: Any) -> Element:
    if proto.WhichOneof("value") != "tensor_type":
        return UNKNOWN
    tensor = proto.tensor_type
    # No runtime checks the element shapes that a model declares for its own inputs.
    if not tensor.HasField("shape") or value.is_input and value.graph.owner is None:
        return Element(tensor.elem_type, None)
    return Element(tensor.elem_type, tuple(_size(dim, ctx) for dim in tensor.shape.dim))


def _size(dim: Any, ctx: Any) -> Size | None:
    if dim.HasField("dim_value"):
        size: Size = dim.dim_value
        return size
    found: Dim | None = ctx.symbols.get(dim.dim_param) if dim.dim_param else None
    return found


def tensor_type(dtype: int, shape: Sizes) -> Any:
    """TypeProto of a tensor."""
    from onnx import TypeProto

    proto = TypeProto()
    proto.tensor_type.elem_type = dtype
    if shape is not None:
        proto.tensor_type.shape.SetInParent()
        for size in shape:
            dim = proto.tensor_type.shape.dim.add()
            if isinstance(size, int):
                dim.dim_value = size
            elif size is not None and size.name:
                dim.dim_param = size.name
    return proto


def sequence_type(element_proto: Any) -> Any:
    """TypeProto of a sequence of such elements."""
    from onnx import TypeProto

    proto = TypeProto()
    proto.sequence_type.elem_type.CopyFrom(element_proto)
    return proto


def optional_type(element_proto: Any) -> Any:
    """TypeProto of an optional that may hold such an element."""
    from onnx import TypeProto

    proto = TypeProto()
    proto.optional_type.elem_type.CopyFrom(element_proto)
    return proto


def set_type(value: Value, proto: Any, ctx: Any) -> None:
    """State the type of a value that is no tensor; readers hear of it when it is news."""
    if value.type_proto is not None and value.type_proto == proto:
        return
    value.type_proto = proto
    if ctx.changed is not None:
        ctx.changed(value)


def set_sequence(value: Value, found: Element, ctx: Any) -> None:
    """State that a value is a sequence of such tensors; without their type nothing is said."""
    if found.dtype:
        set_type(value, sequence_type(tensor_type(*found)), ctx)


def set_tensor(value: Value, found: Element, ctx: Any) -> None:
    """State that a value is such a tensor."""
    shape = found.shape
    ctx.set(value, found.dtype, None if shape is None else [ctx.fresh() if s is None else s for s in shape])


def merge_elements(elements: Iterable[Element]) -> Element:
    """What holds for all of them: the type, and the sizes that agree."""
    merged: Element | None = None
    for found in elements:
        if merged is None:
            merged = found
        else:
            merged = Element(merged.dtype or found.dtype, common_sizes(merged.shape, found.shape))
    return merged or UNKNOWN


def common_sizes(a: Sizes, b: Sizes) -> Sizes:
    """The sizes two shapes share, None in place of each that differs; None when a rank is unknown or they differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple([x if x is not None and x == y else None for x, y in zip(a, b, strict=True)])
