"""What the checks of this folder share: the distributions of the workspace and its tracked files."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IGNORED_FOLDERS = {".git", ".nox", ".venv", "dist", "build", "__pycache__"}
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding; `line` is 0 when it is about the whole file."""

    path: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Distribution:
    """A published member of the workspace."""

    name: str
    folder: Path
    project: dict[str, Any]

    @property
    def import_package(self) -> str:
        return self.name.replace("-", "_")

    @property
    def source(self) -> Path:
        return self.folder / "src" / self.import_package

    @property
    def tests(self) -> Path:
        return self.folder / "tests"

    @property
    def version(self) -> str:
        """The version that `_version.py` states, read without importing the package."""
        match = VERSION.search((self.source / "_version.py").read_text(encoding="utf-8"))
        if match is None:
            raise SystemExit(f"{self.name}: _version.py has no line __version__ = ...")
        return match[1]


def distributions(root: Path = ROOT) -> list[Distribution]:
    """Every distribution under `packages/`, by name."""
    found = []
    for file in sorted((root / "packages").glob("*/pyproject.toml")):
        project = tomllib.loads(file.read_text(encoding="utf-8"))
        found.append(Distribution(project["project"]["name"], file.parent, project))
    return found


def tracked_files(root: Path = ROOT) -> Iterator[Path]:
    """The files git tracks or would add; without git, all but the generated folders."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        for path in sorted(root.rglob("*")):
            if path.is_file() and not IGNORED_FOLDERS.intersection(path.relative_to(root).parts):
                yield path
        return
    for name in sorted(filter(None, listing.split("\0"))):
        if (root / name).is_file():
            yield root / name
