"""`--input-data-path`: arrays for the comparison, from .npy, .npz, TensorProto (.pb) or raw files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ModelError, OptionError


def load_inputs(files: Sequence[tuple[str | None, str]], source: Any,
                shapes: Mapping[str | None, Sequence[int]]) -> dict[str, Any]:
    """Arrays by input name. A raw file has the type and shape its input has in the model, or in `shapes`.

    Raises:
        OptionError: a file does not hold what the input needs, or an input is given twice.
        ModelError: the model cannot be read.
    """
    found: dict[str, Any] = {}
    for name, path in files:
        for key, array in _load(name, path, source, shapes):
            if key in found:
                raise OptionError(f"input {key!r} is given twice", where="--input-data-path")
            found[key] = array
    return found


def _load(name: str | None, path: str, source: Any,
          shapes: Mapping[str | None, Sequence[int]]) -> list[tuple[str, Any]]:
    import numpy as np

    kind = path.lower().rpartition(".")[2]
    try:
        if kind == "npz":
            with np.load(path, allow_pickle=False) as archive:
                arrays = {key: archive[key] for key in archive.files}
            if name is None:
                return list(arrays.items())
            if name not in arrays and len(arrays) != 1:
                raise OptionError(f"holds no array called {name!r}", where=path, hint="it has " + ", ".join(arrays))
            return [(name, arrays.get(name, next(iter(arrays.values()))))]
        assert name is not None
        if kind == "npy":
            return [(name, np.load(path, allow_pickle=False))]
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise OptionError("there is no such file", where=path) from None
    except (OSError, ValueError, EOFError) as error:
        raise OptionError(f"cannot be read as .{kind}: {error}", where=path) from None
    return [(name, _from_proto(data, path) if kind == "pb" else _from_raw(name, path, data, source, shapes))]


def _from_proto(data: bytes, path: str) -> Any:
    from google.protobuf.message import DecodeError
    from onnx import TensorProto

    from ..ir.tensors import tensor_from_proto

    proto = TensorProto()
    try:
        proto.ParseFromString(data)
        return tensor_from_proto(proto).numpy()
    except (DecodeError, ModelError) as error:
        raise OptionError(f"holds no tensor: {error}", where=path) from None


def _from_raw(name: str, path: str, data: bytes, source: Any, shapes: Mapping[str | None, Sequence[int]]) -> Any:
    import numpy as np

    from ..check.feeds import shape_text
    from ..ir import dtypes
    from ..ir.read import read_model

    values = {value.name: value for value in read_model(source).graph.inputs}
    value = values.get(name)
    if value is None:
        raise OptionError(f"the model has no input called {name!r}", hint="its inputs are " + ", ".join(values))
    if not value.dtype or value.dtype == dtypes.STRING or dtypes.is_packed(value.dtype):
        raise OptionError(f"input {name!r} cannot be given as raw bytes", where=path, hint="use a .npy or .pb file")
    dtype = dtypes.numpy_dtype(value.dtype)
    if len(data) % dtype.itemsize:
        raise OptionError(f"{len(data)} bytes are no whole number of {dtypes.name(value.dtype)} elements", where=path)
    array = np.frombuffer(data, dtype)
    given = shapes.get(name, shapes.get(None) if len(values) == 1 else None)
    declared = [size if isinstance(size, int) else 0 for size in value.shape or ()]
    wanted = declared if given is None else [size if isinstance(size, int) else 0 for size in given]
    shape = _fitted(array.size, wanted, value.shape is None and given is None)
    if shape is None:
        raise OptionError(f"{array.size} elements do not fill input {name!r} of shape {shape_text(value.shape or ())}",
                          where=path, hint="give its sizes with --test-input-shape")
    return array.reshape(shape)


def _fitted(count: int, shape: list[int], is_flat: bool) -> list[int] | None:
    """The shape with its one unknown size (0 or less) computed from the number of elements; None where that fails."""
    if is_flat:
        return [count]
    open_at = [index for index, size in enumerate(shape) if size <= 0]
    known = 1
    for size in shape:
        known *= size if size > 0 else 1
    if len(open_at) > 1 or known == 0 or count % known or not open_at and known != count:
        return None
    if open_at:
        shape[open_at[0]] = count // known
    return shape
