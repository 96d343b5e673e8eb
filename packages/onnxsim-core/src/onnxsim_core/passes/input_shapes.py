"""Pinning the sizes of graph inputs: `overwrite_input_shapes`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import OptionError
from ..ir.dims import Dim, Size, substitute
from ..ir.graph import Model, Value

Wanted = Mapping[str | None, Sequence[int | str | None]]


def resolve_names(shapes: Wanted, inputs: Sequence[str]) -> dict[str, tuple[int | str | None, ...]]:
    """Shapes by input name; the key None means the only input. A size that is not positive leaves that dimension alone.

    A size that is a text names the dimension.

    Raises:
        OptionError: a name that is no input, or None where there are several.
    """
    resolved: dict[str, tuple[int | str | None, ...]] = {}
    for name, sizes in shapes.items():
        if name is None:
            if len(inputs) != 1:
                raise OptionError("a shape without an input name needs a model with one input",
                                  hint="write NAME:SHAPE; its inputs are " + ", ".join(inputs))
            name = inputs[0]
        if name not in inputs:
            raise OptionError(f"the model has no input called {name!r}", hint="its inputs are " + ", ".join(inputs))
        resolved[name] = tuple(size if isinstance(size, str) or size is not None and size > 0 else None
                               for size in sizes)
    return resolved


def overwrite_input_shapes(model: Model, shapes: Wanted) -> None:
    """Give symbolic sizes of inputs numbers or names, everywhere the same symbol stands.

    Raises:
        OptionError: an unknown input, another number of dimensions, a size the model fixes to another number, or two
            numbers for one symbol.
    """
    names = model.symbols
    inputs = {value.name: value for value in model.graph.inputs}
    numbers: dict[Dim, Size] = {}
    for name, sizes in resolve_names(shapes, list(inputs)).items():
        value = inputs[name]
        if value.shape is None:
            if None in sizes:
                raise OptionError(f"input {name!r} has no known rank: give all its sizes")
            value.shape = tuple(names.named(size) if isinstance(size, str) else size
                                for size in sizes if size is not None)
            continue
        if len(sizes) != len(value.shape):
            raise OptionError(f"input {name!r} has {len(value.shape)} dimensions, the given shape {len(sizes)}")
        for axis, (old, new) in enumerate(zip(value.shape, sizes, strict=True)):
            if new is not None:
                _pin(name, axis, old, names.named(new) if isinstance(new, str) else new, numbers)
    for value in model.graph.inputs:
        if value.shape is not None:
            value.shape = tuple(substitute(size, numbers) for size in value.shape)
            _restate(value)
            _rename(value, value.shape)
    called = {str(old): new for old, new in numbers.items() if isinstance(new, Dim)}
    for value in model.graph.outputs if called else ():
        declared = value.info.type.tensor_type.shape.dim if hasattr(value.info, "type") else ()
        _rename(value, [called.get(dim.dim_param, 0) for dim in declared])


def _pin(name: str, axis: int, old: Size, new: Size, numbers: dict[Dim, Size]) -> None:
    if isinstance(old, int):
        if old != new:
            raise OptionError(f"dimension {axis} of input {name!r} is fixed to {old} in the model, not {new}")
    elif numbers.setdefault(old, new) != new:
        raise OptionError(f"size {old} would be both {numbers[old]} and {new} (dimension {axis} of input {name!r})",
                          hint="inputs that share a symbol need the same number there")


def restate_outputs(model: Model) -> None:
    """Write into the declared type of graph outputs the numbers that pinning the inputs made known."""
    for value in model.graph.outputs:
        if value.shape is not None and not value.doubtful:
            _restate(value)


def _restate(value: Value) -> None:
    info: Any = value.info
    is_tensor = hasattr(info, "type") and info.type.WhichOneof("value") == "tensor_type"
    if not is_tensor or value.shape is None:
        return
    fresh = type(info)()
    fresh.CopyFrom(info)
    declared = fresh.type.tensor_type.shape
    if not fresh.type.tensor_type.HasField("shape"):
        for _ in value.shape:
            declared.dim.add()
    if len(declared.dim) == len(value.shape):
        for dim, size in zip(declared.dim, value.shape, strict=True):
            if isinstance(size, int):
                dim.dim_value = size
    value.info = fresh


def _rename(value: Value, sizes: Sequence[Size]) -> None:
    """State the names of sizes that are symbols."""
    info: Any = value.info
    if not hasattr(info, "type") or len(info.type.tensor_type.shape.dim) != len(sizes):
        return
    fresh = type(info)()
    fresh.CopyFrom(info)
    symbols = value.graph.model.symbols
    for dim, size in zip(fresh.type.tensor_type.shape.dim, sizes, strict=True):
        if isinstance(size, Dim) and not symbols.is_anonymous(size):
            dim.dim_param = str(size)
    value.info = fresh
