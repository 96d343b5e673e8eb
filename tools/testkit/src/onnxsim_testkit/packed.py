"""Real exported models without their weights.

A `.onnxpack` file is an xz-compressed ModelProto in which a large tensor is replaced by how to draw one: its
`external_data` entries are `gen` (`normal` or `const`), `seed`, `mean`, `std`, `lo` and `hi`. Structure, shapes, names and
all small constants are the exporter's; equal weights have equal seeds.
"""

from __future__ import annotations

import lzma
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import Message
from onnx import TensorProto, helper


def unpack(path: Path) -> onnx.ModelProto:
    """The model with weights drawn anew; the same numbers each time."""
    model = onnx.load_from_string(lzma.decompress(path.read_bytes()))
    for tensor in _tensors(model):
        recipe = {entry.key: entry.value for entry in tensor.external_data}
        if tensor.data_location == TensorProto.EXTERNAL and "gen" in recipe:
            raw = _draw(recipe, tuple(tensor.dims), tensor.data_type)
            tensor.ClearField("external_data")
            tensor.ClearField("data_location")
            tensor.raw_data = raw
    return model


def _draw(recipe: dict[str, str], dims: tuple[int, ...], data_type: int) -> bytes:
    dtype = helper.tensor_dtype_to_np_dtype(data_type)
    mean = float(recipe["mean"])
    if recipe["gen"] == "const":
        return np.full(dims, mean).astype(dtype).tobytes()
    rng = np.random.default_rng(int(recipe["seed"]))
    numbers = rng.standard_normal(math.prod(dims), np.float32) * np.float32(recipe["std"]) + np.float32(mean)
    numbers = np.clip(numbers, np.float32(recipe["lo"]), np.float32(recipe["hi"]))
    drawn: bytes = (np.rint(numbers) if dtype.kind in "iu" else numbers).astype(dtype).tobytes()
    return drawn


def _tensors(message: Any) -> Iterator[TensorProto]:
    """Every TensorProto inside a message."""
    if isinstance(message, TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for inner in (value,) if isinstance(value, Message) else value:
            yield from _tensors(inner)
