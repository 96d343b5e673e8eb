"""Changelog fragments: `packages/<distribution>/changelog.d/<slug>.<type>.md`, one change each.

`python tools/fragments.py` checks them all; a release assembles them (`python tools/release.py changelog NAME`).
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from source_tree import ROOT, Distribution, Problem, distributions

# In the order in which a changelog lists them. `graph`: simplify now gives another graph.
HEADINGS = {
    "added": "Added",
    "changed": "Changed",
    "graph": "Graphs that come out different",
    "fixed": "Fixed",
    "deprecated": "Deprecated",
    "removed": "Removed",
}
NAME = re.compile(r"(?P<slug>[a-z0-9]+(?:-[a-z0-9]+)*)\.(?P<type>[a-z]+)\.md")
MARKER = "<!-- releases -->"
LONGEST = 600


def fragment_files(dist: Distribution) -> list[Path]:
    """The fragments of a distribution; dot files keep the folder in git."""
    return sorted(path for path in (dist.folder / "changelog.d").iterdir() if not path.name.startswith("."))


def check_fragment(path: Path) -> Iterator[str]:
    """What is wrong with one fragment."""
    match = NAME.fullmatch(path.name)
    if match is None or match["type"] not in HEADINGS:
        yield f"is not called <slug>.<type>.md with a type of {', '.join(HEADINGS)}"
    text = path.read_text(encoding="utf-8").strip()
    if not text:
        yield "is empty"
    elif "\n\n" in text or len(text) > LONGEST:
        yield f"is not one paragraph of at most {LONGEST} characters"
    elif not (text[0].isupper() or text[0] == "`") or text[-1] not in ".:)":
        yield "is no sentence: begin with a capital, end with a full stop"


def check(root: Path = ROOT) -> list[Problem]:
    """All findings of the workspace under `root`."""
    problems = []
    for dist in distributions(root):
        for path in fragment_files(dist):
            where = path.relative_to(root).as_posix()
            problems += [Problem(where, 0, "fragment", text) for text in check_fragment(path)]
        changelog = dist.folder / "CHANGELOG.md"
        if MARKER not in changelog.read_text(encoding="utf-8"):
            problems.append(Problem(changelog.relative_to(root).as_posix(), 0, "fragment", f"has no {MARKER} line"))
    return problems


def assemble(dist: Distribution, day: str) -> str:
    """The changelog section of the next release of a distribution, or "" when nothing changed."""
    entries: dict[str, list[str]] = {kind: [] for kind in HEADINGS}
    for path in fragment_files(dist):
        match = NAME.fullmatch(path.name)
        if match is None:
            raise SystemExit(f"{path.name} is no fragment")
        entries[match["type"]].append(" ".join(path.read_text(encoding="utf-8").split()))
    if not any(entries.values()):
        return ""
    lines = [f"## {dist.version} ({day})", ""]
    for kind, texts in entries.items():
        if texts:
            lines += [f"### {HEADINGS[kind]}", "", *(f"- {text}" for text in texts), ""]
    return "\n".join(lines)


def main() -> int:
    problems = check()
    for problem in problems:
        print(problem)
    print(f"fragments: {len(problems)} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
