"""`--list-default-optimizers`, `--list-other-optimizers` and `--list-presets`."""

from __future__ import annotations

from .terminal import Terminal


def print_passes(terminal: Terminal, *, default: bool, other: bool) -> int:
    """One name a line, with -v and what it does; as JSON, with kind and summary."""
    from ..passes import catalog

    catalog.load()
    shown = [one for one in catalog.CATALOG.values() if (default if one.default else other)]
    if terminal.as_json:
        terminal.json([{"name": one.name, "default": one.default, "kind": one.kind, "summary": one.summary}
                       for one in shown])
        return 0
    width = max((len(one.name) for one in shown), default=0)
    for one in shown:
        print(f"{one.name:{width}}  {one.summary}" if terminal.verbose else one.name)
    return 0


def print_presets(terminal: Terminal) -> int:
    """One preset a line with what it is for; as JSON, with the passes it adds and leaves out."""
    from ..passes.presets import PRESETS

    if terminal.as_json:
        terminal.json([{"name": one.name, "summary": one.summary, "adds": list(one.adds), "skips": list(one.skips),
                        "static": one.is_static} for one in PRESETS.values()])
        return 0
    for one in PRESETS.values():
        print(f"{one.name:{max(map(len, PRESETS))}}  {one.summary}")
    return 0
