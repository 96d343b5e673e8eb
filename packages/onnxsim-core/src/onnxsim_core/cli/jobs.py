"""Which models a command line names, and where each goes."""

from __future__ import annotations

import argparse
import glob
import os
from dataclasses import dataclass

from ..errors import ModelError
from .parser import UsageError
from .words import is_integer


@dataclass(frozen=True, slots=True)
class Job:
    """One model to simplify."""

    source: str
    target: str
    check_n: int


def jobs_of(args: argparse.Namespace) -> list[Job]:
    """The models that the words name.

    Raises:
        UsageError: too few or too many words, or a pattern that fits nothing.
        ModelError: an output cannot be a file.
    """
    words: list[str] = list(args.paths)
    check_n = args.check_n
    if words and is_integer(words[-1]) and len(words) > (1 if args.output_dir else 2):
        if check_n is not None:
            raise UsageError("the number of comparisons is given twice")
        check_n = int(words.pop())
        if check_n < 0:
            raise UsageError(f"{str(check_n)!r} is no number of times", hint="CHECK_N is not negative")
    check_n = check_n or 0
    if args.output_dir is not None:
        return _into_folder(words, args.output_dir, check_n)
    if len(words) < 2:
        missing = "INPUT and OUTPUT are" if not words else "OUTPUT is"
        raise UsageError(f"{missing} missing", hint="onnxsim INPUT OUTPUT [CHECK_N]; onnxsim --help says more")
    if len(words) > 2:
        hint = "CHECK_N is a whole number" if len(words) == 3 else "many models are simplified with -o"
        raise UsageError(f"{words[2]!r} is one word too many", hint=hint)
    _check_target(words[1], f"to write into it, use -o {words[1]}")
    for drawing in (args.html, args.picture):
        if drawing:
            _check_target(drawing)
    return [Job(words[0], words[1], check_n)]


def _check_target(path: str, hint: str = "") -> None:
    """Find out before the work what would fail after it."""
    if os.path.isdir(path):
        raise ModelError("is a folder", code="output", where=path, hint=hint)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ModelError("cannot be written: the folder does not exist", code="output", where=path)


def _into_folder(words: list[str], folder: str, check_n: int) -> list[Job]:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(f"-o {folder}: it is no folder")
    sources: dict[str, None] = {}
    for word in words:
        for path in _expanded(word):
            sources[path] = None
    if not sources:
        raise UsageError("no model to simplify")
    root = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in sources])
    targets: dict[str, str] = {}
    jobs = []
    for source in sources:
        target = os.path.join(folder, os.path.relpath(os.path.abspath(source), root))
        if target in targets:
            raise UsageError(f"{targets[target]} and {source} would both be written to {target}")
        targets[target] = source
        jobs.append(Job(source, target, check_n))
    return jobs


def _expanded(word: str) -> list[str]:
    """The models a word names: a file, all of a folder, or all that fit a pattern."""
    if os.path.isdir(word):
        found = sorted(glob.glob(os.path.join(glob.escape(word), "**", "*.onnx"), recursive=True))
        if not found:
            raise UsageError(f"{word} holds no .onnx file")
        return found
    if os.path.exists(word) or not glob.has_magic(word):
        return [word]
    found = sorted(path for path in glob.glob(word, recursive=True) if os.path.isfile(path))
    if not found:
        raise UsageError(f"no file fits {word}")
    return found
