"""`onnxsim inspect MODEL [MODEL]`: what a model is, or how two differ."""

from __future__ import annotations

from typing import Any

from .arguments import input_shape, looks_like_shape
from .parser import Parser, UsageError
from .simplify import shapes_of
from .terminal import Terminal

USAGE = "onnxsim inspect [options] MODEL [MODEL]"
DESCRIPTION = "Show interface, operators, sizes and costs of a model, or of two side by side with differences marked."


def run(words: list[str]) -> int:
    """Run the sub-command; the words are those after its name."""
    parser = build_parser()
    args = parser.parse(words)
    if not 1 <= len(args.models) <= 2:
        raise UsageError("inspect takes one model, or two to compare", hint=USAGE)
    terminal = Terminal(verbose=args.verbose, as_json=args.json)
    shapes = shapes_of(args.overwrite_input_shape, "--overwrite-input-shape")
    from ..report.card import card_table, differences

    cards = [_card(path, shapes, with_plugins=not args.no_plugins) for path in args.models]
    found = differences(cards)
    terminal.table(card_table(cards))
    if len(cards) == 2:
        terminal.say(f"{len(found)} lines differ (marked *)" if found else "No line differs.")
    data: dict[str, Any] = {"models": [one.data() for one in cards]}
    if len(cards) == 2:
        data["differences"] = found
    terminal.json(data)
    return 0


def build_parser() -> Parser:
    """The parser of the sub-command."""
    parser = Parser(usage=USAGE, description=DESCRIPTION)
    parser.wanted = lambda options: 1
    parser.add_argument("models", nargs="*", metavar="MODEL", help="one model, or two to compare")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.told_by(parser.add_argument(
        "--overwrite-input-shape", nargs="+", type=input_shape, metavar="NAME:SHAPE",
        help="count with these sizes of inputs"), looks_like_shape)
    parser.add_argument("--no-plugins", action="store_true", help="ignore what other installed packages add")
    parser.add_argument("-v", "--verbose", action="store_true", help="tracebacks of errors")
    return parser


def _card(path: str, shapes: dict[Any, list[int]], *, with_plugins: bool) -> Any:
    from ..errors import ModelError
    from ..ir.read import read_model
    from ..passes.input_shapes import overwrite_input_shapes
    from ..report.card import card
    from ..report.facts import infer
    from .extensions import formats

    try:
        read = formats(with_plugins=with_plugins).reader(path)
        model = read_model(path if read is None else read(path))
        if shapes:
            overwrite_input_shapes(model, shapes)
        infer(model)
        return card(path, model)
    except ModelError as error:
        error.where = error.where or path
        raise
