"""Check that imports point down: between the layers of a distribution, and between distributions.

The table is `layers.toml`. Besides the layers it holds that imports inside a distribution are relative (so that a copy
under another name works), that a module loads only what the distribution requires, and that what comes with an extra is
imported inside a function. Imports under `if TYPE_CHECKING:` cost nothing at run time and are exempt from the layers.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from source_tree import ROOT, Distribution, Problem, distributions

# Files of the package folder itself: they open it, name it or start it, and are no layer.
OUTSIDE = {"__init__", "__main__", "_version"}


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module: its absolute dotted name, and when it happens."""

    module: str
    line: int
    relative: bool
    lazy: bool
    typing_only: bool


def imports(tree: ast.Module, package: list[str]) -> Iterator[Import]:
    """Every import of a module that lives in `package`, with relative names resolved."""
    yield from _imports(tree.body, package, lazy=False, typing_only=False)


def _imports(body: list[ast.stmt], package: list[str], lazy: bool, typing_only: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, False, lazy, typing_only)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            parts = base + (node.module.split(".") if node.module else [])
            for alias in node.names:
                # `from . import graph` names a module, `from .graph import Graph` need not.
                name = ".".join(parts if node.module else [*parts, alias.name])
                yield Import(name, node.lineno, bool(node.level), lazy, typing_only)
        else:
            inner_lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for name, value in ast.iter_fields(node):
                if isinstance(value, list):
                    statements = [item for item in value if isinstance(item, ast.stmt)]
                    guarded = typing_only or (name == "body" and _is_type_checking(node))
                    yield from _imports(statements, package, inner_lazy, guarded)
                    for item in value:
                        if isinstance(item, ast.ExceptHandler | ast.match_case):
                            yield from _imports(item.body, package, inner_lazy, typing_only)


def _is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def check_distribution(
    dist: Distribution, rules: dict[str, Any], names: dict[str, str], root: Path
) -> Iterator[Problem]:
    """All findings of one distribution; `names` maps every top-level module of the workspace to its owner."""
    level = {layer: height for height, row in enumerate(rules["layers"]) for layer in row}
    for path in sorted(dist.source.rglob("*.py")):
        parts = path.relative_to(dist.source).with_suffix("").parts
        where = path.relative_to(root).as_posix()
        own = parts[0]
        if own not in level and own not in OUTSIDE and len(parts) > 1:
            yield Problem(where, 0, "layers", f"{own!r} is no layer in tools/layers.toml")
            continue
        package = [dist.import_package, *parts[:-1]]
        for item in imports(ast.parse(path.read_text(encoding="utf-8")), package):
            text = _finding(item, own, level, dist, rules, names)
            if text:
                yield Problem(where, item.line, "layers", text)


def _finding(
    item: Import, own: str, level: dict[str, int], dist: Distribution, rules: dict[str, Any], names: dict[str, str]
) -> str:
    top = item.module.split(".")[0]
    if top == dist.import_package:
        if not item.relative:
            return f"imports {item.module} by its absolute name: a copy under another name would break"
        return "" if item.typing_only else _layer_finding(item.module.split(".")[1:2], own, level)
    if top in sys.stdlib_module_names:
        return "reads package metadata" if item.module == "importlib.metadata" and own != "plugins" else ""
    if top in names:
        shown = item.typing_only and names[top] in rules.get("extras", ())
        return "" if shown or names[top] in rules["siblings"] else f"imports {names[top]}, which is no sibling below"
    if item.typing_only or _matches(item.module, rules["modules"]):
        return ""
    if not _matches(item.module, rules["lazy"]):
        return f"imports {item.module}, which this distribution does not require"
    return "" if item.lazy else f"imports {item.module} when loaded: do it inside the function that needs it"


def _layer_finding(target: list[str], own: str, level: dict[str, int]) -> str:
    if own in OUTSIDE or not target or target[0] in OUTSIDE or target[0] == own:
        return ""
    if own not in level or target[0] not in level:
        unknown = own if own not in level else target[0]
        return f"{unknown!r} is no layer in tools/layers.toml"
    if level[target[0]] < level[own]:
        return ""
    return f"{own} must not import {target[0]}"


def _matches(module: str, allowed: list[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


def check_declared(dist: Distribution, rules: dict[str, Any], root: Path) -> Iterator[Problem]:
    """A sibling that may be imported is declared; a distribution without a table is a finding."""
    declared = " ".join(dist.project["project"].get("dependencies", []))
    for sibling in rules["siblings"]:
        if sibling not in declared:
            path = (dist.folder / "pyproject.toml").relative_to(root).as_posix()
            yield Problem(path, 0, "layers", f"may import {sibling} but does not depend on it")
    extras = " ".join(item for one in dist.project["project"].get("optional-dependencies", {}).values() for item in one)
    for sibling in rules.get("extras", ()):
        if sibling not in extras:
            path = (dist.folder / "pyproject.toml").relative_to(root).as_posix()
            yield Problem(path, 0, "layers", f"may show {sibling} to type checkers but no extra brings it")


def check(root: Path = ROOT) -> list[Problem]:
    """All findings of the workspace under `root`."""
    table = tomllib.loads((root / "tools" / "layers.toml").read_text(encoding="utf-8"))
    found = distributions(root)
    names = {path.stem: dist.name for dist in found for path in sorted((dist.folder / "src").iterdir())}
    problems = []
    for dist in found:
        rules = table.get(dist.name)
        if rules is None:
            problems.append(Problem("tools/layers.toml", 0, "layers", f"says nothing about {dist.name}"))
            continue
        problems += check_distribution(dist, rules, names, root)
        problems += check_declared(dist, rules, root)
    return problems


def main() -> int:
    problems = check()
    for problem in problems:
        print(problem)
    print(f"layers: {len(problems)} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
