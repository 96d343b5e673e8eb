"""Handing a model to foreign code as a ModelProto and taking what comes back, without copying large weights.

A model with little weight is handed out whole. Of a larger one, tensors from a mebibyte on are references to the file
they lie in, or, when they lie in memory, to a file they are written to once. What comes back is matched with what
went out: a reference, or equal bytes, is the tensor it was.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

from ..errors import ModelError
from .dtypes import STRING
from .files import File
from .graph import Model
from .read import Reader
from .rope import Rope, write_atomic
from .tensors import MissingTensor, SpanTensor, Tensor, same_bytes
from .write import Writer

WHOLE = 128 << 20
"""Weights that take no more than this together are handed out inside the model."""
REFERENCED_FROM = 1 << 20
"""Beyond that, tensors from this size on are references."""
MATCHED_FROM = 1 << 10
"""Tensors from this size on that come back with equal bytes are the tensor that went out."""

Place = tuple[str, int, int]


class Exchange:
    """The hand-outs of one run. Use as a context manager: the files made for it go when it is left."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._places: dict[int, Place] = {}
        self._held: dict[Place, Tensor] = {}
        self._out: list[Tensor] = []
        self._by_sample: dict[Any, list[Tensor]] | None = None

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    # --- out -------------------------------------------------------------------------------------------------------
    def hand_out(self, model: Model) -> Any:
        """The model as a ModelProto of the receiver's own."""
        from onnx import ModelProto

        self._out = [value.tensor for graph in model.graphs() for value in graph.constants
                     if value.tensor is not None and value.tensor.nbytes >= MATCHED_FROM]
        self._by_sample = None
        by_reference = sum(tensor.nbytes for tensor in self._out) > WHOLE
        proto = ModelProto()
        proto.ParseFromString(Writer(model, self._place if by_reference else None).rope().tobytes())
        return proto

    def _place(self, tensor: Tensor) -> Place | None:
        if tensor.nbytes < REFERENCED_FROM or tensor.dtype == STRING:
            return None
        place = self._places.get(id(tensor))
        if place is None:
            span = tensor.span()
            place = self._spooled(tensor) if span is None else (_path(span[0].path), span[1], span[2])
            self._places[id(tensor)] = place
            self._held[place] = tensor
        return place

    def _spooled(self, tensor: Tensor) -> Place:
        """Where the tensor is written to, so that it can be read from there."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="onnxsim-weights-")
        path = os.path.join(self._folder.name, f"{len(self._places)}.bin")
        rope = Rope()
        rope.append_tensor(tensor)
        write_atomic(path, rope)
        return path, 0, tensor.nbytes

    # --- back ------------------------------------------------------------------------------------------------------
    def take_back(self, proto: Any) -> Model:
        """The model that a ModelProto describes, with the tensors that were handed out.

        Raises:
            ModelError: it is not a valid graph, or refers to data that cannot be read.
        """
        return _Taker(proto, self).read()

    def known(self, place: Place, dtype: int, dims: tuple[int, ...]) -> Tensor | None:
        """The tensor that a reference stands for."""
        found = self._held.get(place)
        if found is None or found.dtype != dtype:
            return None
        return found if found.dims == dims else found.reshaped(dims)

    def same(self, tensor: Tensor) -> Tensor:
        """The tensor that was handed out, if this one equals it."""
        if tensor.nbytes < MATCHED_FROM or tensor.dtype == STRING or isinstance(tensor, MissingTensor):
            return tensor
        if self._by_sample is None:
            self._by_sample = {}
            for one in self._out:
                if one.dtype != STRING:
                    self._by_sample.setdefault((one.dtype, one.dims, one.sample()), []).append(one)
        for one in self._by_sample.get((tensor.dtype, tensor.dims, tensor.sample()), ()):
            if same_bytes(one, tensor):
                return one
        return tensor


class _Taker(Reader):
    """Reads a model and puts the tensors that were handed out back in."""

    def __init__(self, proto: Any, exchange: Exchange) -> None:
        super().__init__(proto, base_dir=os.getcwd())
        self.exchange = exchange

    def tensor(self, proto: Any) -> Tensor:
        if proto.data_location == 1:
            place = reference(proto)
            found = self.exchange.known(place, proto.data_type, tuple(proto.dims)) if place is not None else None
            if found is not None:
                return found
        return self.exchange.same(super().tensor(proto))


def reference(proto: Any) -> Place | None:
    """Location, offset and length of external data; None when they are not all given."""
    fields = {entry.key: entry.value for entry in proto.external_data}
    try:
        return fields["location"], int(fields["offset"]), int(fields["length"])
    except (KeyError, ValueError):
        return None


def load_tensor(proto: Any) -> Any:
    """The numbers of a TensorProto of a model that a rewriter got, whether they lie inside it or in a file.

    Raises:
        ModelError: the file cannot be read, or does not hold them.
    """
    from onnx import numpy_helper

    if proto.data_location != 1:
        return numpy_helper.to_array(proto)
    place = reference(proto)
    if place is None:
        raise ModelError(f"tensor {proto.name!r} has no complete reference", code="external-range")
    return SpanTensor(proto.data_type, tuple(proto.dims), File(place[0]), place[1], place[2]).numpy()


def _path(path: str) -> str:
    """The path as foreign code can follow it: relative below the working folder, else absolute."""
    whole = os.path.realpath(path)
    here = os.getcwd()
    inside = whole.startswith(here.rstrip(os.sep) + os.sep)
    return os.path.relpath(whole, here) if inside else whole
