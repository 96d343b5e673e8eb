"""Options about the operators a model is written with: its operator set, functions, custom operators, own rules."""

from __future__ import annotations

import argparse
from typing import Any

from .parser import Parser


def add(parser: Parser) -> None:
    """Add the group to the parser."""
    group = parser.add_argument_group("operators")
    group.add_argument("--target-opset", type=opset, metavar="VERSION",
                       help="write the model for this version of the default operator set, or `latest`")
    group.add_argument("--inline-functions", action="store_true",
                       help="put the bodies of the model's local functions in the place of their calls first")
    group.add_argument("--rewrite-rules", action="append", metavar="FILE",
                       help="rules of your own: functions two by two, a pattern and its replacement, in a model or as "
                            "ONNX text; may be given several times")
    group.add_argument("--skip-schema-import", action="store_true",
                       help="do not ask schemas that were registered with onnx.defs.register_schema")


def opset(text: str) -> int | str:
    """`18` or `latest`."""
    if text == "latest":
        return text
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no operator set: write a number, or latest")
    return int(text)


def settings(args: argparse.Namespace) -> dict[str, Any]:
    """What these options say, as arguments of `simplify()`.

    Raises:
        OptionError: a file of rules cannot be read.
    """
    rules: list[Any] = []
    for path in args.rewrite_rules or ():
        from ..patterns.files import load_rules

        rules += load_rules(path)
    return {
        "target_opset_version": args.target_opset,
        "inline_functions": args.inline_functions,
        "import_custom_schemas": not args.skip_schema_import,
        "function_rewrite_rules": rules or None,
    }
