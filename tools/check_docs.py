"""Run the examples of the README files and of docs/, so that what a reader copies works.

A `python` block is run as it is; the blocks of one page share their names. In a `console` block the lines that begin
with `$ ` are commands for the shell, and lines after a command are what it prints (`...` stands for anything; nothing
written means that only success counts). Each page gets an empty folder of its own with a copy of `examples/` in it. A
block marked ```` ```python no-run: reason ```` is shown and not run.

    python tools/check_docs.py [PAGE ...]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from source_tree import ROOT, tracked_files

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*) *(?P<info>.*)$")
LANGUAGES = {"python", "console"}
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block; `line` is that of its first line of content."""

    language: str
    info: str
    line: int
    text: str


def blocks(page: str) -> Iterator[Block]:
    """Every fenced block of a Markdown page."""
    opened: tuple[re.Match[str], int] | None = None
    body: list[str] = []
    for number, line in enumerate(page.splitlines(), 1):
        match = FENCE.match(line)
        if opened is None and match:
            opened, body = (match, number + 1), []
        elif opened is not None and match and not match["language"] and not match["info"]:
            first, start = opened
            yield Block(first["language"], first["info"], start, "\n".join(body))
            opened = None
        elif opened is not None:
            body.append(line.removeprefix(opened[0]["indent"]))


def examples(page: str) -> list[Block]:
    """The blocks of a page that are to be run."""
    return [b for b in blocks(page) if b.language in LANGUAGES and not b.info.startswith("no-run: ")]


def matches(expected: str, actual: str) -> bool:
    """Compare printed text, where `...` in the expectation stands for anything, also over several lines."""
    parts = [re.escape(part) for part in _trimmed(expected).split("...")]
    return re.fullmatch("(?s)" + ".*".join(parts), _trimmed(actual)) is not None


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output written below it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in found]


def run_page(path: Path, root: Path = ROOT) -> list[str]:
    """Run all examples of a page, and tell what failed."""
    found = examples(path.read_text(encoding="utf-8"))
    if not found:
        return []
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="onnxsim-docs-") as folder:
        if (root / "examples").is_dir():
            shutil.copytree(root / "examples", Path(folder) / "examples")
        python = [block for block in found if block.language == "python"]
        for block in found:
            if block.language == "console":
                failures += _run_console(block, folder)
            elif block is python[0]:
                failures += _run_python(python, folder)
    return [f"{path.relative_to(root).as_posix()}:{failure}" for failure in failures]


def _run_console(block: Block, folder: str) -> Iterator[str]:
    for command, expected in commands(block.text):
        done = _run(command, folder, shell=True)
        if done.returncode != 0:
            yield f"{block.line}: `{command}` ended with {done.returncode}\n{done.stdout}{done.stderr}"
        elif expected.strip() and not matches(expected, done.stdout):
            yield f"{block.line}: `{command}` printed\n{done.stdout}\ninstead of\n{expected}"


def _run_python(found: list[Block], folder: str) -> Iterator[str]:
    """Run the blocks as one program whose line numbers are those of the page."""
    lines: list[str] = []
    for block in found:
        lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
    script = Path(folder) / "page.py"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = _run([sys.executable, script.name], folder, shell=False)
    if done.returncode != 0:
        yield f"{found[0].line}: the python examples failed\n{done.stdout}{done.stderr}"


def _run(command: str | list[str], folder: str, shell: bool) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(
        command, cwd=folder, shell=shell, env=environment, text=True, capture_output=True, timeout=TIMEOUT_S
    )


def pages(root: Path = ROOT) -> list[Path]:
    """The READMEs, the contributing guide and every page under docs/."""
    return [path for path in tracked_files(root) if path.suffix == ".md" and ".github" not in path.parts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    chosen = [path.resolve() for path in parser.parse_args().pages] or pages()
    count = 0
    failures: list[str] = []
    for path in chosen:
        count += len(examples(path.read_text(encoding="utf-8")))
        failures += run_page(path)
    for failure in failures:
        print(failure)
    print(f"docs: {count} examples on {len(chosen)} pages, {len(failures)} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
