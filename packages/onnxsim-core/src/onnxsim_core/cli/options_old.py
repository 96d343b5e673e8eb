"""Spellings of earlier releases: accepted, with a line that names the present one."""

from __future__ import annotations

import argparse
from typing import Any

from .arguments import input_shape, looks_like_name, looks_like_shape, looks_like_size, size
from .parser import Parser, UsageError
from .words import Looks


def add(parser: Parser) -> None:
    """Add the old spellings; the help does not show them."""
    def old(*names: str, looks: Looks | None = None, **settings: Any) -> None:
        action = parser.add_argument(*names, help=argparse.SUPPRESS, **settings)
        if looks is not None:
            parser.told_by(action, looks)

    old("--input-shape", "--input_shape", nargs="+", type=input_shape, dest="old_input_shape", looks=looks_like_shape)
    old("--skip-optimizer", "--skip-optimizers", "--skip_optimizer", nargs="+", dest="old_skip", looks=looks_like_name)
    old("--skip-fuse-bn", "--skip_fuse_bn", action="store_true", dest="old_skip_fuse_bn")
    old("--enable-fuse-bn", action="store_true", dest="old_enable_fuse_bn")
    old("--dynamic-input-shape", action="store_true", dest="old_dynamic_input_shape")
    old("--keep-io-names", "--keep_io_names", action="store_true", dest="old_keep_io_names")
    old("--tensor-size-threshold", type=size, dest="old_threshold", looks=looks_like_size)


_POINTLESS = {
    "old_enable_fuse_bn": "--enable-fuse-bn has no effect: fuse_bn_into_conv is on by default",
    "old_dynamic_input_shape": "--dynamic-input-shape has no effect: dynamic inputs stay dynamic",
    "old_keep_io_names": "--keep-io-names has no effect: names of inputs and outputs are always kept",
}


def translate(args: argparse.Namespace) -> list[str]:
    """Move old spellings to the present ones; gives a line for each.

    Raises:
        UsageError: an option is given in its old and its present spelling.
    """
    notes = [note for name, note in _POINTLESS.items() if getattr(args, name)]
    notes += _move(args, "old_input_shape", "overwrite_input_shape", "--input-shape", "--overwrite-input-shape")
    notes += _move(args, "old_skip", "skip_optimization", "--skip-optimizer", "--skip-optimization")
    notes += _move(args, "old_threshold", "no_large_tensor", "--tensor-size-threshold", "--no-large-tensor")
    if args.old_skip_fuse_bn:
        notes.append("--skip-fuse-bn is now written --skip-optimization fuse_bn_into_conv")
        if args.skip_optimization != []:
            args.skip_optimization = [*(args.skip_optimization or ()), "fuse_bn_into_conv"]
    return notes


def _move(args: argparse.Namespace, old: str, new: str, old_spelling: str, spelling: str) -> list[str]:
    value = getattr(args, old)
    if value is None:
        return []
    if getattr(args, new) is not None:
        raise UsageError(f"{old_spelling} is the old name of {spelling}: give one of them")
    setattr(args, new, value)
    return [f"{old_spelling} is now called {spelling}"]
