"""From words on the command line to values; what is malformed is a usage error that says what to write instead."""

from __future__ import annotations

import argparse
import re

from ..errors import OptionError
from ..options import parse_size

_NUMBER, _SYMBOL = r"[+-]?\d+", r"[A-Za-z_]\w*"
_SHAPE = re.compile(rf"{_NUMBER},?|{_SYMBOL},|(?:{_NUMBER}|{_SYMBOL})(?:,(?:{_NUMBER}|{_SYMBOL}))+,?")
"""A single name is no shape without a comma: it may be a file."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_DATA_FILE = re.compile(r"(?:(.*?):)?((?:[A-Za-z]:[\\/])?[^:]*)")
_SIZE = re.compile(r"\d+(\.\d+)?\s*[kmgtKMGT]?[iI]?[bB]?")


def size(text: str) -> int:
    """Bytes: `512`, `10KB`, `1.5GiB`."""
    try:
        return parse_size(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def input_shape(text: str) -> tuple[str | None, list[int | str]]:
    """`name:1,3,224,224`, or `1,3,224,224` for the only input. The last colon separates, so names may hold colons.

    A size may be a name.
    """
    name, colon, sizes = text.rpartition(":")
    if not _SHAPE.fullmatch(sizes):
        if sizes == "" and colon:
            return name, []
        raise argparse.ArgumentTypeError(f"{text!r} is no input shape: write NAME:1,3,224,224")
    return (name if colon else None), [word if word[0].isalpha() or word[0] == "_" else int(word)
                                       for word in sizes.rstrip(",").split(",")]


def data_file(text: str) -> tuple[str | None, str]:
    """`name:file`, or just a .npz file, whose arrays have names. The last colon that is no drive's separates."""
    match = _DATA_FILE.fullmatch(text)
    name, path = match.groups() if match else (None, text)
    if not name and not path.lower().endswith(".npz"):
        raise argparse.ArgumentTypeError(f"{text!r} names no input: write NAME:FILE")
    return name or None, path


def count(text: str) -> int:
    """A whole number that is not negative."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of times")
    return int(text)




def tolerance(text: str) -> float:
    """A number that is not negative."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no tolerance")
    return number


def looks_like_shape(word: str) -> bool:
    sizes = word.rpartition(":")[2]
    return _SHAPE.fullmatch(sizes) is not None and (":" in word or "," in word)


def looks_like_name(word: str) -> bool:
    """A pass or provider: a plain word, no path and no number."""
    return _NAME.fullmatch(word) is not None


def looks_like_data_file(word: str) -> bool:
    return ":" in word or word.lower().endswith(".npz")


def looks_like_size(word: str) -> bool:
    return _SIZE.fullmatch(word) is not None


def looks_like_anything(word: str) -> bool:
    """Names of outputs may be numbers or paths."""
    return True


def looks_like_trace(word: str) -> bool:
    """A file to write to, not a model to read."""
    return not word.lower().endswith((".onnx", ".safetensors", ".gguf"))


def looks_like_png(word: str) -> bool:
    return word.lower().endswith(".png")
