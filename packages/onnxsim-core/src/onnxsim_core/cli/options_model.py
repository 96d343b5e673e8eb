"""Options about the model's interface and weights."""

from __future__ import annotations

import argparse

from .arguments import input_shape, looks_like_anything, looks_like_shape, size
from .parser import Parser


def add(parser: Parser) -> None:
    """Add the group to the parser."""
    group = parser.add_argument_group("model")
    parser.told_by(group.add_argument(
        "--overwrite-input-shape", nargs="+", type=input_shape, metavar="NAME:SHAPE",
        help="pin sizes of inputs, as x:1,3,224,224; 0 or -1 leaves a size, a word names it; without NAME for the only "
        "input"),
        looks_like_shape)
    parser.told_by(group.add_argument(
        "--unused-output", nargs="+", metavar="NAME", help="remove these outputs and what only they need"),
        looks_like_anything)
    group.add_argument("--mutable-initializer", action="store_true",
                       help="initializers that are inputs too stay inputs, and nothing is computed from them")
    group.add_argument("--initializers-as-non-constants", action="store_true",
                       help="nothing is computed from weights, so that they can be exchanged")
    group.add_argument("--include-subgraph", action=argparse.BooleanOptionalAction, default=True,
                       help="simplify the bodies of If, Loop and Scan too (default)")
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output-dir", metavar="DIR",
                        help="write every input here under its own name; inputs may be many, patterns and folders")
    output.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="with -o: how many models at a time")
    output.add_argument("--save-as-external-data", action="store_true",
                        help="put the weights into OUTPUT.data beside the model")
    output.add_argument("--external-data-threshold", type=size, metavar="SIZE",
                        help="do so when they take more than this; over 2GB it is done anyway")
