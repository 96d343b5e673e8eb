"""What the `onnxsim` command gets from this distribution: two containers by suffix, and `onnxsim archive`."""

from __future__ import annotations

from typing import Any

from onnxsim_core.plugins import CliHost, Format, FormatHost


def register(host: FormatHost) -> None:
    """Let .safetensors and .gguf be read and written wherever the command takes a model."""
    host.add(Format("safetensors", ".safetensors", _read, _write_safetensors))
    host.add(Format("GGUF", ".gguf", _read, _write_gguf))


def register_command(host: CliHost) -> None:
    """Add `onnxsim archive`, and a line about it to the help."""
    host.group("archives", "INPUT and OUTPUT may be .safetensors and .gguf files that hold a whole model. `onnxsim "
               "archive export MODEL ARCHIVE` and `onnxsim archive import ARCHIVE MODEL` leave the model as it is.")
    host.command("archive", _archive)


def _read(path: str) -> Any:
    from .read import open_archive

    return open_archive(path)


def _write_safetensors(model: Any, path: str) -> None:
    from .write import export_safetensors

    export_safetensors(model, path)


def _write_gguf(model: Any, path: str) -> None:
    from .write import export_gguf

    export_gguf(model, path)


def _archive(words: list[str]) -> int:
    from .cli import run

    return run(words)
