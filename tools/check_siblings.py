"""Check that the distributions of this workspace ask for each other rightly.

`uv lock` takes a sibling from the workspace whatever range is written for it, so a wrong range shows only after a
release. All distributions share MAJOR.MINOR; a sibling is asked for as `>=MAJOR.MINOR,<MAJOR.(MINOR + 1)`.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from source_tree import ROOT, Distribution, Problem, distributions

REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)\s*(\[(?P<extras>[^\]]*)\])?\s*(?P<range>[^;]*)")


def shared_range(version: str) -> str:
    """The range in which siblings of a version are asked for: 0.9.4 gives >=0.9,<0.10."""
    major, minor = version.split(".")[:2]
    return f">={major}.{minor},<{major}.{int(minor) + 1}"


def requirements(dist: Distribution) -> Iterator[tuple[str, str, str, str]]:
    """Each requirement as (where, name, extras, range)."""
    project = dist.project["project"]
    lists = {"dependencies": project.get("dependencies", [])}
    lists |= {f"extra {extra}": wanted for extra, wanted in project.get("optional-dependencies", {}).items()}
    for where, wanted in lists.items():
        for text in wanted:
            match = REQUIREMENT.match(text)
            if match:
                yield where, match["name"], match["extras"] or "", match["range"].replace(" ", "")


def check(root: Path = ROOT) -> list[Problem]:
    """All findings of the workspace under `root`."""
    found = {dist.name: dist for dist in distributions(root)}
    problems = []
    series = {".".join(dist.version.split(".")[:2]) for dist in found.values()}
    if len(series) > 1:
        problems.append(Problem("packages", 0, "siblings", f"MAJOR.MINOR differs: {', '.join(sorted(series))}"))
    for dist in found.values():
        path = (dist.folder / "pyproject.toml").relative_to(root).as_posix()
        problems += [Problem(path, 0, "siblings", text) for text in _findings(dist, found)]
    sources = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["uv"]["sources"]
    for name in found:
        if sources.get(name) != {"workspace": True}:
            problems.append(Problem("pyproject.toml", 0, "siblings", f"tool.uv.sources does not name {name}"))
    return problems


def _findings(dist: Distribution, found: dict[str, Distribution]) -> Iterator[str]:
    for where, name, extras, asked in requirements(dist):
        if name not in found:
            continue
        wanted = shared_range(found[name].version)
        if name != dist.name and asked != wanted:
            yield f"{where}: asks for {name}{asked or ' in any version'}, should ask for {name}{wanted}"
        known = found[name].project["project"].get("optional-dependencies", {})
        for extra in filter(None, (part.strip() for part in extras.split(","))):
            if extra not in known:
                yield f"{where}: {name} has no extra {extra!r}"


def main() -> int:
    problems = check()
    for problem in problems:
        print(problem)
    print(f"siblings: {len(problems)} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
