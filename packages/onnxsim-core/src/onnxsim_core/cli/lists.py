"""`--list-default-optimizers` and `--list-other-optimizers`."""

from __future__ import annotations

from .terminal import Terminal


def print_passes(terminal: Terminal, *, default: bool, other: bool) -> int:
    """One name a line; as JSON, with kind and summary."""
    from ..passes import catalog

    catalog.load()
    shown = [p for p in catalog.CATALOG.values() if (p.default and default) or (not p.default and other)]
    if terminal.as_json:
        terminal.json([{"name": p.name, "default": p.default, "kind": p.kind, "summary": p.summary} for p in shown])
    else:
        for one in shown:
            print(one.name)
    return 0
