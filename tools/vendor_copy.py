"""Copy the core into another project's tree the way a maintainer would, with its tests, to prove that the copy works.

    python tools/vendor_copy.py TARGET

TARGET gets `acme/_vendor/onnxsim_core` (an exact copy of the source), the tests, and the testkit; in the tests and the
testkit, the name of the package is replaced. Test files that import what is not installed are left out and listed.
"""

import ast
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from source_tree import ROOT

PACKAGE = "onnxsim_core"
COPIED = frozenset({PACKAGE, "onnxsim_testkit"})
VENDORED = f"acme._vendor.{PACKAGE}"
# As a word of its own and not as a folder in a path.
NAME = re.compile(rf"(?<![\w./]){PACKAGE}\b(?!/)")


def vendor(target: Path, root: Path = ROOT) -> list[str]:
    """Lay out the copy under `target`; gives the test files that were left out, with the missing module."""
    shutil.copytree(
        root / "packages" / "onnxsim-core" / "src" / PACKAGE,
        target / "acme" / "_vendor" / PACKAGE,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    # The entry point of the command lies beside the package; the tests start it.
    for path in (root / "packages" / "onnxsim-core" / "src").glob("*.py"):
        (target / path.name).write_text(NAME.sub(VENDORED, path.read_text(encoding="utf-8")), encoding="utf-8")
    for folder in (target / "acme", target / "acme" / "_vendor"):
        (folder / "__init__.py").touch()
    # For pytest's settings; the tests' own folder is on its path there.
    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    (target / "pyproject.toml").write_text(settings.replace("packages/onnxsim-core/tests", "tests"), encoding="utf-8")
    _copy_renamed(root / "tools" / "testkit" / "src" / "onnxsim_testkit", target / "onnxsim_testkit")
    return _copy_renamed(root / "packages" / "onnxsim-core" / "tests", target / "tests")


def _copy_renamed(source: Path, target: Path) -> list[str]:
    left_out = []
    # What tests share is imported by its place under their folder: `rewriting`, `ops.judging`.
    shared = {".".join(path.relative_to(source).with_suffix("").parts): path.read_text(encoding="utf-8")
              for path in source.rglob("[!_]*.py")}  # fmt: skip
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".py":
            shutil.copyfile(path, place)
            continue
        text = path.read_text(encoding="utf-8")
        missing = next(missing_modules(text, shared), None) if path.name.startswith("test_") else None
        if missing:
            left_out.append(f"{path.relative_to(source).as_posix()} (needs {missing})")
        else:
            place.write_text(NAME.sub(VENDORED, text), encoding="utf-8")
    return left_out


def missing_modules(text: str, shared: Mapping[str, str], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Modules that a file imports anywhere, itself or through a shared module, and that are not installed."""
    folders = {name.split(".")[0] for name in shared}
    for name in imported_names(text) - seen:
        top = name.split(".")[0]
        if name in shared:
            yield from missing_modules(shared[name], shared, seen | {name})
        elif top not in COPIED and top not in folders and find_spec(top) is None:
            yield top


def imported_names(text: str) -> set[str]:
    """Every dotted name that may be a module a file imports: for `from a import b`, both `a` and `a.b`."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def main() -> int:
    target = Path(sys.argv[1])
    left_out = vendor(target)
    print(f"copied to {target}; {len(left_out)} test files left out")
    print("".join(f"  {name}\n" for name in left_out), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
