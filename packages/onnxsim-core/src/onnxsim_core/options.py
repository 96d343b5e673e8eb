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
CONTAINERS = (".safetensors", ".gguf")
"""Endings of files that hold a model in another way than .onnx files; onnxsim-archives knows them."""


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
    overwrite_input_shapes: Mapping[Any, Sequence[int | str]] = field(default_factory=dict)
    unused_outputs: tuple[str, ...] = ()
    keep_nodes: tuple[str, ...] = ()
    preset: str | None = None
    inline_functions: bool = False
    target_opset: int | str | None = None
    rewrite_rules: tuple[Any, ...] = ()
    """`patterns.compile.FunctionRule` each."""
    rewriter: Any = None
    """Called with a ModelProto each time nothing else is left to do."""
    import_schemas: bool = True
    max_rounds: int = MAX_ROUNDS
    providers: tuple[Any, ...] = ()
    trace: bool = False
    phases: Any = None
    """A `passes.phases.Phases` that is told what goes on, or None."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment asks for."""

    max_rounds: int = MAX_ROUNDS
    profile: str | None = None
    ort_profile: str | None = None
    merge_ort_profile: bool = False
    profile_interval_ms: float = 5.0


def environment() -> Environment:
    """Read the environment variables; nothing else does.

    ONNXSIM_FIXED_POINT_ITERS caps the rounds. ONNXSIM_PROFILE and ONNXSIM_ORT_PROFILE name a trace and a prefix (or
    say 1, true, on or yes for the usual name), ONNXSIM_MERGE_ORT_PROFILE puts both into one, and
    ONNXSIM_PROFILE_INTERVAL_MS says how often memory is looked at.

    Raises:
        OptionError: a variable that takes a number holds something else.
    """
    read = os.environ.get
    rounds = read("ONNXSIM_FIXED_POINT_ITERS", "").strip() or str(MAX_ROUNDS)
    if not rounds.isdigit() or int(rounds) < 1:
        raise OptionError(f"ONNXSIM_FIXED_POINT_ITERS must be a positive whole number, not {rounds!r}")
    interval = read("ONNXSIM_PROFILE_INTERVAL_MS", "").strip() or "5"
    try:
        interval_ms = float(interval)
    except ValueError:
        interval_ms = 0.0
    if not 0 < interval_ms < float("inf"):
        raise OptionError(f"ONNXSIM_PROFILE_INTERVAL_MS must be a positive number, not {interval!r}")
    return Environment(
        int(rounds), _named(read("ONNXSIM_PROFILE"), PROFILE_FILE), _named(read("ONNXSIM_ORT_PROFILE"), ORT_PREFIX),
        _named(read("ONNXSIM_MERGE_ORT_PROFILE"), "yes") is not None, interval_ms)


PROFILE_FILE = "onnxsim_profile.json"
ORT_PREFIX = "onnxsim_ort_profile"


def _named(text: str | None, usual: str) -> str | None:
    """The name a variable holds: None for off, the usual one for yes."""
    word = (text or "").strip()
    if word.lower() in ("", "0", "false", "off", "no"):
        return None
    return usual if word.lower() in ("1", "true", "on", "yes") else word


def profile_wanted(profile: str | os.PathLike[str] | bool | None = None, ort_profile: str | bool | None = None,
                   merge_ort_profile: bool = False, found: Environment | None = None) -> Environment | None:
    """What is to be profiled, by the arguments where given, else by the environment; None for nothing.

    An empty name means the usual one. Merging implies a trace to merge into. `found` is the environment if it was read.
    """
    if found is None:
        found = environment()
    merge = merge_ort_profile or found.merge_ort_profile
    trace: Any = found.profile if profile is None else PROFILE_FILE if profile in ("", True) else profile
    prefix: Any = found.ort_profile if ort_profile is None else ORT_PREFIX if ort_profile in ("", True) else ort_profile
    path = os.fspath(trace) if trace else PROFILE_FILE if merge else None
    if path is None and not prefix:
        return None
    return Environment(found.max_rounds, path, prefix or None, merge, found.profile_interval_ms)


_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(value: int | str) -> int:
    """Bytes from an int or a text like `1KB`, `1.5 GiB`, `512`; units are powers of 1024 in any case.

    Raises:
        OptionError: the text is not a size.
    """
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
