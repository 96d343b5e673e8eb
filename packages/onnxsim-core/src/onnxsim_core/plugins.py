"""What other installed distributions add: found by entry points, loaded one by one, and a broken one breaks nothing.

A distribution offers `register(host)` under one of these groups:

    onnxsim.cli       host is a `CliHost`: options, things to do with the result, sub-commands
    onnxsim.formats   host is a `FormatHost`: other containers to read and write, by the end of the file's name
    onnxsim.passes    host is a `PassHost`: passes and their rules
    onnxsim.targets   host is a `TargetHost`: what a model can be exported to, by name

Only the command line and `load` look for them. Nothing is imported before a group is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import PluginError
from .options import CONTAINERS

GROUPS = ("onnxsim.cli", "onnxsim.formats", "onnxsim.passes", "onnxsim.targets")
Warn = Callable[[str], None]


def load(group: str, host: Any, warn: Warn) -> list[str]:
    """Let every plugin of a group register itself; gives the names of those that did.

    One that cannot be imported or fails is left out, with one line to `warn`.

    Raises:
        PluginError: there is no such group.
    """
    if group not in GROUPS:
        raise PluginError(f"there is no plugin group {group!r}", hint="the groups are " + ", ".join(GROUPS))
    from importlib.metadata import entry_points

    loaded = []
    for entry in sorted(entry_points(group=group), key=lambda one: one.name):
        try:
            entry.load()(host)
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            reason = " ".join(str(error).split()) or "no reason given"
            warn(f"plugin {entry.name} ({entry.value}) is left out: {type(error).__name__}: {reason}")
        else:
            loaded.append(entry.name)
    return loaded


# --- formats -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Format:
    """A container other than .onnx.

    `read(path)` gives anything `simplify` accepts, best an object with a method `read_model()` that gives a new
    `ir.graph.Model` whose large tensors lie in the file. `write(model, path)` writes such a Model, and should copy what
    lies in files from there. Either may be absent.
    """

    name: str
    suffix: str
    read: Callable[[str], Any] | None = None
    write: Callable[[Any, str], None] | None = None


ABSENT_FORMATS = dict.fromkeys(CONTAINERS, "onnxsim-archives")
"""Which distribution knows a suffix that nobody registered."""


@dataclass(slots=True)
class FormatHost:
    """Formats by suffix; the longest suffix that fits a name decides."""

    formats: dict[str, Format] = field(default_factory=dict)

    def add(self, one: Format) -> None:
        """Offer a format.

        Raises:
            PluginError: the suffix is taken.
        """
        suffix = one.suffix.lower()
        if suffix in self.formats:
            raise PluginError(f"{suffix} files are read by {self.formats[suffix].name} already")
        self.formats[suffix] = one

    def reader(self, path: str) -> Callable[[str], Any] | None:
        """How to read the file, or None for a plain ONNX file.

        Raises:
            PluginError: the format is known but not installed, or cannot be read.
        """
        one = self._find(path)
        if one is not None and one.read is None:
            raise PluginError(f"{one.suffix} files cannot be read", where=path)
        return one.read if one is not None else None

    def writer(self, path: str) -> Callable[[Any, str], None] | None:
        """How to write the file, or None for a plain ONNX file.

        Raises:
            PluginError: the format is known but not installed, or cannot be written.
        """
        one = self._find(path)
        if one is not None and one.write is None:
            raise PluginError(f"{one.suffix} files cannot be written", where=path)
        return one.write if one is not None else None

    def _find(self, path: str) -> Format | None:
        name = path.lower()
        for suffix in sorted(self.formats, key=len, reverse=True):
            if name.endswith(suffix):
                return self.formats[suffix]
        for suffix, distribution in ABSENT_FORMATS.items():
            if name.endswith(suffix):
                raise PluginError(f"{suffix} files need {distribution}, which is not installed", where=path,
                                  hint=f"pip install {distribution}")
        return None


# --- passes --------------------------------------------------------------------------------------------------------
class PassHost:
    """Declare passes and register their rules as the core's own modules do."""

    def declare(self, name: str, summary: str, *, default: bool = False) -> None:
        """Add a pass to the catalogue; it is off unless asked for or declared as default."""
        from .passes import catalog

        catalog.load()
        catalog.declare(name, summary, default=default)

    def rewrites(self, pass_name: str, *, root: str | tuple[str, ...], domain: str = "") -> Callable[[Any], Any]:
        """Decorator for a rule of a pass, tried at nodes of these operators."""
        from .rewrite.rule import rewrites

        return rewrites(pass_name, root=root, domain=domain)


# --- targets -------------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class TargetHost:
    """Exporters by the name of what they export to."""

    targets: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, target: Any) -> None:
        """Offer a target.

        Raises:
            PluginError: the name is taken.
        """
        if name in self.targets:
            raise PluginError(f"target {name!r} is registered twice")
        self.targets[name] = target


# --- command line --------------------------------------------------------------------------------------------------
ABSENT_OPTIONS = {
    "--emit-tflite": "onnxsim-export-tflite",
    "--tflite-edgetpu": "onnxsim-edgetpu",
    "--tflite": "onnxsim-export-tflite",
    "--emit-coreml": "onnxsim-export-coreml",
    "--coreml": "onnxsim-export-coreml",
    "--emit-mlir": "onnxsim-export-mlir",
    "--mlir": "onnxsim-export-mlir",
    "--onnx-mlir": "onnxsim-export-mlir",
    "--certify": "onnxsim-ranges",
    "--static-quantize": "onnxsim-qat",
    "--dynamic-quantize": "onnxsim-qat",
    "--weight-only-quantize": "onnxsim-qat",
    "--qoperator-quantize": "onnxsim-qat",
    "--ternary-quantize": "onnxsim-qat",
    "--fp16-quantize": "onnxsim-qat",
    "--bf16-quantize": "onnxsim-qat",
    "--fp8-quantize": "onnxsim-qat",
    "--calibration": "onnxsim-qat",
}
"""Which distribution brings an option, or options that begin so, when nobody registered it."""
NEEDLESS_OPTIONS = frozenset({"--no-certify"})
"""Options that turn off what is not there when nobody registered them."""


class CliHost:
    """What a plugin of the command line gets: a place for its options, and turns before and after the work.

    `group(title)` is an argparse group. `check` functions get the parsed arguments and raise OptionError. `after`
    functions get the arguments, the `SimplifyResult` and a function that prints a line of the result; they run in the
    order of registration, after the simplified model is written. `command` adds a first word like `inspect`.
    """

    def __init__(self, parser: Any) -> None:
        self.parser = parser
        self.checks: list[Callable[[Any], None]] = []
        self.afters: list[Callable[[Any, Any, Callable[[str], None]], None]] = []
        self.commands: dict[str, Callable[[list[str]], int]] = {}

    def group(self, title: str, description: str | None = None) -> Any:
        """A group of options."""
        return self.parser.add_argument_group(title, description)

    def told_by(self, action: Any, looks: Callable[[str], bool]) -> None:
        """Values of an option that takes a varying number are told from models by what they look like."""
        self.parser.told_by(action, looks)

    def check(self, function: Callable[[Any], None]) -> None:
        """Call this before any work."""
        self.checks.append(function)

    def after(self, function: Callable[[Any, Any, Callable[[str], None]], None]) -> None:
        """Call this when a model has been simplified."""
        self.afters.append(function)

    def command(self, name: str, function: Callable[[list[str]], int]) -> None:
        """Offer a sub-command; it gets the words after its name and gives the exit code.

        Raises:
            PluginError: the name is taken.
        """
        if name in self.commands or name == "inspect":
            raise PluginError(f"command {name!r} is registered twice")
        self.commands[name] = function
