"""Check that the tree looks the way CONTRIBUTING.md says: sizes, names, mirrored tests, words that must not appear.

Exceptions are in `layout_allow.toml`, each with its reason; one that is no longer needed is a finding too.
Run it from anywhere: `python tools/check_layout.py`.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from source_tree import ROOT, Distribution, Problem, distributions, tracked_files

MODULE_LINES = 400
MODULE_LINES_ALLOWED = 600
INIT_LINES = 60
FUNCTION_LINES = 60
RULE_LINES = 40
RULE_DECORATORS = {"rewrites"}
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}

# Character classes keep the patterns from finding themselves.
UNFINISHED = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X]|NotImplementedErro[r]|placeholde[r](?!=))\b|not implemented ye[t]")
# Foreign code may raise anything; the line that catches it all says whose.
REASON = re.compile(r"# noqa: BLE001 - \w.{10,}")
FOREIGN = {
    "path of one machine": re.compile(r"(?<![\w.\-/])/(wor[k]|home|root|Users)/\w"),
    "path outside the repository": re.compile(r"\.\./share[d]\b"),
    "registry address": re.compile(r"\b(pypi[.]or[g]|pythonhoste[d]|registry[.]npm)\b"),
}
TEXT_SUFFIXES = {".py", ".md", ".toml", ".yml", ".yaml", ".txt", ".cfg", ".sh", ".svg", ".json", ""}


def check_modules(dist: Distribution, root: Path) -> Iterator[Problem]:
    """Sizes and names of the modules of one distribution, and what they must not do."""
    for path in sorted(dist.source.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        limit = INIT_LINES if path.name == "__init__.py" else MODULE_LINES
        lines = text.count("\n")
        if lines > limit:
            yield Problem(name, 0, "module-size", f"{lines} lines, at most {limit}")
        for part in path.relative_to(dist.source).with_suffix("").parts:
            if part.strip("_") in VAGUE_NAMES:
                yield Problem(name, 0, "vague-name", f"{part!r} does not say what is inside")
        tree = ast.parse(text, filename=name)
        yield from check_functions(tree, name)
        yield from check_statements(tree, name, text.splitlines())


def check_functions(tree: ast.AST, name: str) -> Iterator[Problem]:
    """Functions of at most 60 lines and rules of at most 40, their docstrings not counted."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if ast.get_docstring(node) is not None:
            doc = node.body[0]
            lines -= (doc.end_lineno or doc.lineno) - doc.lineno + 1
        is_rule = any(_called_name(decorator) in RULE_DECORATORS for decorator in node.decorator_list)
        limit = RULE_LINES if is_rule else FUNCTION_LINES
        if lines > limit:
            yield Problem(name, node.lineno, "function-size", f"{node.name} has {lines} lines, at most {limit}")


def _called_name(decorator: ast.expr) -> str:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def check_statements(tree: ast.AST, name: str, lines: list[str]) -> Iterator[Problem]:
    """No print outside the command line, no except that hides what it does not know, unless the line says why."""
    in_cli = "cli" in PurePosixPath(name).with_suffix("").parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print" and not in_cli:
            yield Problem(name, node.lineno, "print", "print outside cli/")
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises_again(node):
            if REASON.search(lines[node.lineno - 1]):
                continue
            yield Problem(name, node.lineno, "broad-except", "catches every error: name the ones that are expected")


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Cleaning up and letting the error go on hides nothing, nor does raising one that says more."""
    return isinstance(handler.body[-1], ast.Raise)


def _is_broad(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(item, ast.Name) and item.id in {"Exception", "BaseException"} for item in names)


def check_mirror(dist: Distribution, root: Path) -> Iterator[Problem]:
    """Every module in a folder of a distribution has its test, and every test there has its module."""
    modules = {path.relative_to(dist.source).with_suffix("") for path in dist.source.glob("*/**/*.py")}
    tests = {path.relative_to(dist.tests).with_suffix("") for path in dist.tests.glob("*/**/test_*.py")}
    tested = {module: {module.parent / f"test_{module.name}"} for module in modules if module.name[:2] != "__"}
    for module in sorted(tested):
        wanted = module.parent / f"test_{module.name}"
        if not any(test.parent == wanted.parent and _is_for(test.name, wanted.name) for test in tests):
            path = (dist.source / module).relative_to(root).as_posix() + ".py"
            yield Problem(path, 0, "mirror", f"has no tests/{wanted.as_posix()}.py")
    folders = {module.parent for module in modules}
    for test in sorted(tests):
        if test.parent not in folders:
            continue  # a folder of its own kind: whole models, parity, fuzz
        if not any(m.parent == test.parent and _is_for(test.name, f"test_{m.name.strip('_')}") for m in modules):
            path = (dist.tests / test).relative_to(root).as_posix() + ".py"
            yield Problem(path, 0, "mirror", f"tests no module of src/{dist.import_package}/{test.parent.as_posix()}/")


def _is_for(test: str, wanted: str) -> bool:
    """`test_layout.py` and `test_layout_slice.py` are both tests of `layout.py`."""
    return test == wanted or test.startswith(f"{wanted}_")


def check_words(root: Path) -> Iterator[Problem]:
    """No unfinished marks in source and tools, no address or path of one machine anywhere."""
    for path in tracked_files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in TEXT_SUFFIXES:
            continue
        is_source = path.suffix == ".py" and ("/src/" in name or name.startswith("tools/")) and "/tests/" not in name
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if is_source and UNFINISHED.search(line):
                yield Problem(name, number, "unfinished", f"unfinished mark: {line.strip()[:80]}")
            for what, pattern in FOREIGN.items():
                if pattern.search(line):
                    yield Problem(name, number, "foreign", f"{what}: {line.strip()[:80]}")


def check_files(dist: Distribution, root: Path) -> Iterator[Problem]:
    """The files that every distribution has."""
    wanted = ["README.md", "CHANGELOG.md", "LICENSE", "changelog.d", "tests"]
    wanted += [f"src/{dist.import_package}/{name}" for name in ("__init__.py", "_version.py", "py.typed")]
    for name in wanted:
        if not (dist.folder / name).exists():
            yield Problem(dist.folder.relative_to(root).as_posix(), 0, "files", f"has no {name}")


def apply_allowances(problems: Iterable[Problem], allowances: list[dict[str, str]]) -> list[Problem]:
    """Drop what the allow list names, and report entries that name nothing or give no reason."""
    left, used = [], set()
    for problem in problems:
        index = next((i for i, entry in enumerate(allowances) if _allows(entry, problem)), None)
        if index is None:
            left.append(problem)
        else:
            used.add(index)
    for i, entry in enumerate(allowances):
        if i not in used:
            left.append(Problem("tools/layout_allow.toml", 0, "allow", f"allows nothing any more: {entry['path']}"))
        if len(entry.get("reason", "")) < 15:
            left.append(Problem("tools/layout_allow.toml", 0, "allow", f"gives no reason: {entry['path']}"))
    return left


def _allows(entry: dict[str, str], problem: Problem) -> bool:
    if entry["rule"] != problem.rule or not PurePosixPath(problem.path).match(entry["path"]):
        return False
    if problem.rule == "module-size":
        return int(problem.text.split()[0]) <= MODULE_LINES_ALLOWED
    return problem.text.startswith(entry.get("text", ""))


def check(root: Path = ROOT) -> list[Problem]:
    """All findings of the tree under `root`."""
    per_distribution: tuple[Callable[[Distribution, Path], Iterator[Problem]], ...] = (
        check_files,
        check_modules,
        check_mirror,
    )
    problems = [p for dist in distributions(root) for one in per_distribution for p in one(dist, root)]
    problems += check_words(root)
    allowances = tomllib.loads((root / "tools" / "layout_allow.toml").read_text(encoding="utf-8"))
    return apply_allowances(problems, allowances.get("allow", []))


def main() -> int:
    problems = check()
    for problem in problems:
        print(problem)
    print(f"layout: {len(problems)} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
