"""Which words of a command line belong to an option and which stand for themselves.

argparse lets an option that takes several values swallow the models behind it. Here such an option takes only words
that look like its values, and gives words back, last ones first, while a model is missing; so options, models and the
number of comparisons may stand in any order.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Looks = Callable[[str], bool]
"""Does this word look like a value of the option?"""
_INTEGER = re.compile(r"[+-]?\d+")


def is_integer(word: str) -> bool:
    return _INTEGER.fullmatch(word) is not None


@dataclass(slots=True)
class _Capture:
    """An option as it was written, the words it took, and how few it needs; `at` are their places."""

    option: str
    least: int
    at: list[int] = field(default_factory=list)
    flexible: bool = True


def arrange(words: Sequence[str], actions: Mapping[str, argparse.Action], looks: Mapping[str, Looks],
            wanted: Callable[[Sequence[str]], int]) -> list[str]:
    """The same words with every option and its values first, then `--`, then what stands for itself.

    `actions` are the options by spelling, `looks` tells values by an option's destination, and `wanted` says how many
    words must stand for themselves, given the words of the options so far.
    """
    captures, own = _captured(words, actions, looks)
    missing = wanted([capture.option for capture in captures]) - len(_paths(words, own))
    for capture in reversed(captures):
        while missing > 0 and capture.flexible and len(capture.at) > capture.least:
            own.append(capture.at.pop())
            missing -= not is_integer(words[own[-1]])
    _return_count(words, captures, own)
    result: list[str] = []
    for capture in captures:
        result += [capture.option, *(words[index] for index in capture.at)]
    return [*result, "--", *(words[index] for index in sorted(own))]


def _captured(words: Sequence[str], actions: Mapping[str, argparse.Action],
              looks: Mapping[str, Looks]) -> tuple[list[_Capture], list[int]]:
    captures: list[_Capture] = []
    own: list[int] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            own += range(index + 1, len(words))
            break
        if word == "-" or not word.startswith("-") or is_integer(word):
            own.append(index)
            index += 1
            continue
        action = actions.get(word)
        capture = _Capture(word, 0)
        captures.append(capture)
        index += 1
        if action is None:
            continue
        least, most = _arity(action)
        capture.least, capture.flexible = least, most != least
        accept = looks.get(action.dest)
        while index < len(words) and len(capture.at) < most and not _is_option(words[index], actions):
            if accept is not None and capture.flexible and len(capture.at) >= least and not accept(words[index]):
                break
            capture.at.append(index)
            index += 1
    return captures, own


def _arity(action: argparse.Action) -> tuple[int, float]:
    if action.nargs is None:
        return 1, 1
    if isinstance(action.nargs, int):
        return action.nargs, action.nargs
    return {"?": (0, 1), "*": (0, float("inf")), "+": (1, float("inf"))}[action.nargs]


def _is_option(word: str, actions: Mapping[str, argparse.Action]) -> bool:
    if word == "--":
        return True
    return word.startswith("-") and word != "-" and not is_integer(word) and (
        word.partition("=")[0] in actions or not word.startswith("-.") and len(word) > 1)


def _paths(words: Sequence[str], own: Sequence[int]) -> list[int]:
    """Words that stand for themselves, without a number of comparisons at the end."""
    return [index for index in own if not is_integer(words[index])]


def _return_count(words: Sequence[str], captures: list[_Capture], own: list[int]) -> None:
    """A lone whole number behind two models is the number of comparisons, not an option's only, optional value."""
    if len(own) != 2:
        return
    for capture in captures:
        if capture.least == 0 and len(capture.at) == 1 and is_integer(words[capture.at[0]]):
            own.append(capture.at.pop())
            return
