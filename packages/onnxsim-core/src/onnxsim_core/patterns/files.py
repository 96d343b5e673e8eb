"""Rules from a file: functions two by two, first what is to be found, then what is put in its place.

Either a model whose local functions are the pairs (`.onnx`, or any other name if it is one), or text: functions in ONNX
syntax one after the other, with comments from `#` to the end of the line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..errors import OptionError


def load_rules(path: str | os.PathLike[str]) -> list[tuple[Any, Any]]:
    """The pairs of FunctionProtos in a file.

    Raises:
        OptionError: it cannot be read, is neither form, or holds an odd number of functions.
    """
    shown = os.fspath(path)
    try:
        with open(shown, "rb") as file:
            data = file.read()
    except OSError as error:
        raise OptionError(f"the rules cannot be read: {error.strerror}", where=shown) from None
    functions = _from_model(data) if shown.lower().endswith(".onnx") else None
    if functions is None:
        functions = _from_text(data, shown)
    if not functions or len(functions) % 2:
        raise OptionError(f"the file holds {len(functions)} functions, not pairs of a pattern and a replacement",
                          where=shown)
    return list(zip(functions[::2], functions[1::2]))


def _from_model(data: bytes) -> list[Any] | None:
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    try:
        return list(ModelProto.FromString(data).functions)
    except DecodeError:
        return None


def _from_text(data: bytes, path: str) -> list[Any]:
    from onnx import parser

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise OptionError("the file holds neither a model nor text", where=path) from None
    found = []
    for line, part in functions_in(text):
        try:
            found.append(parser.parse_function(part))
        except parser.ParseError as error:
            detail = error.args[0] if error.args else ""
            reason = " ".join((detail.decode() if isinstance(detail, bytes) else str(detail)).split())
            raise OptionError(f"the function that begins in line {line} is no ONNX text: {reason}",
                              where=path) from None
    return found


def functions_in(text: str) -> Iterator[tuple[int, str]]:
    """Every function of a text with the line it begins in: a part ends with the brace that closes its body."""
    start, depth, line = 0, 0, 1
    begun = 0
    position = 0
    while position < len(text):
        sign = text[position]
        if sign == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
            continue
        if sign == "\n":
            line += 1
        elif not begun and not sign.isspace():
            begun = line
        if sign == '"':
            position = _end_of_string(text, position)
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth <= 0:
                yield begun, text[start:position + 1]
                start, depth, begun = position + 1, 0, 0
        position += 1
    if begun:
        yield begun, text[start:]


def _end_of_string(text: str, start: int) -> int:
    position = start + 1
    while position < len(text) and text[position] != '"':
        position += 2 if text[position] == "\\" else 1
    return position
