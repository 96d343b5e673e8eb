"""Every option of `simplify()` in one frozen record, and the one place that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import OptionError

MAX_ROUNDS = 50
DEFAULT_TENSOR_LIMIT = 1 << 20
EXTERNAL_DATA_THRESHOLD = 1900 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SimplifyOptions:
    """What to do to a model. Sizes are in bytes; shapes map an input's name to its dims."""

    optimize: bool = True
    skipped_passes: frozenset[str] = frozenset()
    extra_passes: tuple[str, ...] = ()
    fold: bool = True
    infer: bool = True
    include_subgraph: bool = True
    mutable_initializer: bool = False
    initializers_as_constants: bool = True
    tensor_size_limit: int | None = None
    overwrite_input_shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    unused_outputs: tuple[str, ...] = ()
    max_rounds: int = MAX_ROUNDS
    providers: tuple[Any, ...] = ()
    trace: bool = False
    phases: Any = None
    """A `passes.phases.Phases` that is told what goes on, or None."""


def rounds_from_environment() -> int:
    """Cap on fixed-point rounds: ONNXSIM_FIXED_POINT_ITERS, a positive whole number, default 50.

    Raises:
        OptionError: the variable holds anything else.
    """
    text = os.environ.get("ONNXSIM_FIXED_POINT_ITERS", "").strip()
    if not text:
        return MAX_ROUNDS
    if not text.isdigit() or int(text) < 1:
        raise OptionError(f"ONNXSIM_FIXED_POINT_ITERS must be a positive whole number, not {text!r}")
    return int(text)


_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(value: int | str) -> int:
    """Bytes from an int or a text like `1KB`, `1.5 GiB`, `512`; units are powers of 1024 in any case.

    Raises:
        OptionError: the text is not a size.
    """
    if isinstance(value, int):
        return value
    text = str(value).strip().upper()
    number = text.rstrip("BIKMGT ")
    unit = text[len(number):].strip().removesuffix("B").removesuffix("I")
    try:
        size = float(number) * _UNITS[unit]
    except (ValueError, KeyError):
        raise OptionError(f"{value!r} is not a size", hint="write a number and a unit: 512, 10KB, 1.5GB") from None
    if not 0 <= size < float("inf"):
        raise OptionError(f"{value!r} is not a size", hint="a size is not negative")
    return int(size)
