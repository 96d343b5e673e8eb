"""`--list-default-optimizers` and `--list-other-optimizers`."""

from __future__ import annotations

from .terminal import Terminal


def print_passes(terminal: Terminal, *, default: bool, other: bool) -> int:
    """One name a line; as JSON, with kind and summary. The default ones are those that really run."""
    from ..passes import catalog

    catalog.load()
    runs = {p.name: p.default and p.kind in ("rules", "engine") for p in catalog.CATALOG.values()}
    shown = [p for p in catalog.CATALOG.values() if (default if runs[p.name] else other)]
    if terminal.as_json:
        terminal.json([{"name": p.name, "default": runs[p.name], "kind": p.kind, "summary": p.summary} for p in shown])
    else:
        for one in shown:
            print(one.name)
    return 0
