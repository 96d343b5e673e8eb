"""Put weights that the wire scanner took out back where the reader keeps protobuf messages as they are."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from .files import File
from .tensors import BufferTensor, SpanTensor, Tensor
from .wire import INLINE


def inline_tensor(proto: Any, source: File | bytes | None) -> Tensor | None:
    """The tensor of a TensorProto that refers to `source`; None for one that refers elsewhere or holds its data.

    Raises:
        ModelError: it says so without having been scanned, or its offset or length is none.
    """
    if proto.data_location != 1 or not proto.external_data:
        return None
    fields = {entry.key: entry.value for entry in proto.external_data}
    if fields.get("location") != INLINE:
        return None
    if source is None:
        raise ModelError(f"tensor {proto.name!r} refers to a place in a file that was not read", code="external-path")
    try:
        offset, length = int(fields["offset"]), int(fields["length"])
    except (KeyError, ValueError):
        raise ModelError(f"tensor {proto.name!r} has no valid offset and length", code="external-range") from None
    dims = tuple(proto.dims)
    size = source.size if isinstance(source, File) else len(source)
    if offset < 0 or length < 0 or offset + length > size:
        raise ModelError(f"tensor {proto.name!r} lies outside the model", code="external-range", offset=offset)
    if isinstance(source, File):
        return SpanTensor(proto.data_type, dims, source, offset, length)
    return BufferTensor(proto.data_type, dims, memoryview(source)[offset : offset + length])


def restore(message: Any, source: File | bytes | None) -> int:
    """Read the bytes of every scanned-out TensorProto inside a message back into it; returns how many there were."""
    if message.DESCRIPTOR.name == "TensorProto":
        tensor = inline_tensor(message, source)
        if tensor is None:
            return 0
        message.raw_data = bytes(tensor.tobytes())
        message.ClearField("data_location")
        del message.external_data[-3:]
        return 1
    count = 0
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for child in (value,) if hasattr(value, "ListFields") else value:
                count += restore(child, source)
    return count
