"""What `--explain`, `--graph-diff`, `--html` and `--picture` ask for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .terminal import Terminal

if TYPE_CHECKING:
    from ..api import SimplifyResult
    from ..report.outline import Outline
    from ..report.table import Table


def tell_changes(args: argparse.Namespace, terminal: Terminal, before: Outline, result: SimplifyResult, table: Table,
                 data: dict[str, Any]) -> None:
    """Print and write what was asked for, and add it to the JSON data."""
    from ..report.diff import diff, diff_lines
    from ..report.outline import outline

    after = outline(result.graph)
    found = diff(before, after)
    events = result.report.events
    if args.explain:
        from ..report.explain import explain, explanation_lines

        reasons = explain(found, events)
        data["explanation"] = [reason.data() for reason in reasons]
        terminal.say("\n".join(explanation_lines(reasons)))
    if args.graph_diff:
        data["graph_diff"] = found.data()
        terminal.say("\n".join(diff_lines(found)))
    if args.html:
        from ..report.page import page

        write_text(args.html, page(data["input"], before, after, table, events))
        terminal.say(f"{args.html}: both graphs")
    if args.picture:
        from ..report.picture import picture

        write_text(args.picture, picture(before, after))
        terminal.say(f"{args.picture}: both graphs")


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        ModelError: it cannot be written.
    """
    from ..ir.rope import Rope, write_atomic

    rope = Rope()
    rope.append(text.encode("utf-8", "backslashreplace"))
    write_atomic(path, rope)
