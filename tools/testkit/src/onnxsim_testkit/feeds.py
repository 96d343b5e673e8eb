"""Seeded inputs for a model."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

# Distinct sizes, so that two symbols mixed up give a wrong shape and not a lucky one.
SYMBOL_SIZES = (2, 3, 5, 4, 7, 6)


def random_feeds(
    model: onnx.ModelProto,
    seed: int = 0,
    dims: Mapping[str, int] | None = None,
    *,
    integers: tuple[int, int] = (0, 4),
) -> dict[str, Any]:
    """Make one value for every graph input that has no initializer.

    Floats are standard normal, integers uniform in `[integers[0], integers[1])`, booleans fair coins, strings single
    letters. A symbol has one size throughout: the one in `dims`, else the next of `SYMBOL_SIZES`; so does each unnamed
    dimension.

    Raises:
        ValueError: an input is no tensor or has no shape, so the test must say what it feeds.
    """
    rng = np.random.default_rng(seed)
    sizes = dict(dims or {})
    fresh = itertools.cycle(SYMBOL_SIZES)
    given = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for info in model.graph.input:
        if info.name in given:
            continue
        tensor = info.type.tensor_type
        if not info.type.HasField("tensor_type") or not tensor.HasField("shape"):
            raise ValueError(f"input {info.name!r} is no tensor of known rank: give its feed by hand")
        shape = [_size(dim, sizes, fresh) for dim in tensor.shape.dim]
        feeds[info.name] = _draw(rng, tensor.elem_type, shape, integers)
    return feeds


def _size(dim: onnx.TensorShapeProto.Dimension, sizes: dict[str, int], fresh: Iterator[int]) -> int:
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    if not dim.dim_param:
        return next(fresh)
    if dim.dim_param not in sizes:
        sizes[dim.dim_param] = next(fresh)
    return sizes[dim.dim_param]


def _draw(rng: np.random.Generator, elem_type: int, shape: list[int], integers: tuple[int, int]) -> np.ndarray:
    if elem_type == TensorProto.STRING:
        return rng.choice(np.array(list("abcdef"), dtype=object), size=shape)
    dtype = helper.tensor_dtype_to_np_dtype(elem_type)
    if elem_type == TensorProto.BOOL:
        return np.asarray(rng.integers(0, 2, size=shape), dtype=np.bool_)
    if elem_type in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        return np.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if np.issubdtype(dtype, np.integer) or "INT" in TensorProto.DataType.Name(elem_type):
        return np.asarray(rng.integers(*integers, size=shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)
