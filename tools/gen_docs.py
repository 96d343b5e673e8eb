"""Write docs/reference, and the picture of the example, from the code: docstrings, catalogue, registries, parsers.

    python tools/gen_docs.py            write the pages
    python tools/gen_docs.py --check    change nothing; fail if a page is not what would be written
"""

import argparse
import difflib
import importlib
import inspect
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from source_tree import ROOT, distributions

DOCS = ROOT / "docs"
NOTICE = "<!-- Written by tools/gen_docs.py; change the code and run it again. -->"
PASSES_INTRODUCTION = """\
The names are those that `--skip-optimization` and `--enable-optimization` take, and `skipped_optimizers` and
`extra_optimizers` in Python. Below the tables stands every rule in its own words: the first line is what it rewrites,
`Exact:` or `Numerics:` what that does to the values, `Source:` where the justification is written."""
OTHER_NAMES = """\
All of these can be named where passes are left out. Asking for an `alias` asks for what it means, `onnxoptimizer` passes are
done by that package when it is installed, asking for one of kind `none` is a warning, and for one that is `elsewhere` an
error."""
PRESETS_INTRODUCTION = """\
What `--preset` and `preset=` change. Passes that are asked for or left out by name come first."""
OPERATORS_INTRODUCTION = """\
The numbers are the opset versions from which a rule holds. An operator that is not listed is inferred by its ONNX
schema and evaluated by the runtime."""
OPSETS_INTRODUCTION = """\
What `--target-opset` does with a node whose operator changed at a version, going up to that version or down from it. A
change that is not listed only added types, attributes or values: up the node stays as it is, down it stays if it uses
none of them. Going down, an operator that did not exist yet is also written out by the definition in its schema."""


def page(title: str, *parts: str) -> str:
    """A page with a title and the notice that it is generated."""
    return "\n\n".join([f"# {title}", NOTICE, *(part.strip("\n") for part in parts)]) + "\n"


def table(header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines)


def fenced(text: str) -> str:
    """Text shown as it is; docstrings are written for the terminal."""
    return f"```text\n{text}\n```"


def first_line(documented: Any) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def passes_page() -> str:
    """Every pass by name, and its rules with what they rewrite."""
    from onnxsim_core.passes import catalog
    from onnxsim_core.rewrite.rule import RULES

    catalog.load()
    passes = [one for _, one in sorted(catalog.CATALOG.items())]
    here = [one for one in passes if one.kind in ("rules", "engine")]
    parts = [
        "## By default",
        table(("pass", "what it does"), ((f"`{one.name}`", one.summary) for one in here if one.default)),
        "## On request",
        table(
            ("pass", "what it does", "in place of"),
            (
                (f"`{one.name}`", one.summary, ", ".join(f"`{name}`" for name in one.instead_of))
                for one in here
                if not one.default
            ),
        ),
        "## Names of other tools",
        OTHER_NAMES,
        table(("name", "kind", "what it stands for"), ((f"`{p.name}`", p.kind, p.summary) for p in passes if p not in here)),
        "## Rules",
    ]
    rules = []
    for name in sorted(RULES):
        rules.append(f"### {name}")
        for rule in RULES[name]:
            roots = ", ".join(f"`{root}`" for root in sorted(rule.roots))
            rules += [f"**{rule.name}** (at {roots})", fenced(inspect.getdoc(rule.function) or "")]
    return page(
        "Passes",
        PASSES_INTRODUCTION,
        *parts,
        *rules,
    )


def presets_page() -> str:
    """What each preset adds and leaves out."""
    from onnxsim_core.passes.presets import PRESETS

    def names(passes: tuple[str, ...]) -> str:
        return ", ".join(f"`{name}`" for name in passes)

    rows = ((f"`{one.name}`", one.summary, names(one.adds), names(one.skips)) for one in PRESETS.values())
    return page("Presets", PRESETS_INTRODUCTION, table(("preset", "for", "adds", "leaves out"), rows))


def operators_page() -> str:
    """Which operators have a shape rule and a fold kernel of their own, from which version on."""
    from onnxsim_core.ops import load
    from onnxsim_core.ops.registry import KERNELS, SHAPES

    load()
    found: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: {"shape": [], "fold": []})
    for kind, registry in (("shape", SHAPES), ("fold", KERNELS)):
        for domain, op_type, since in registry.registered():
            found[domain, op_type][kind].append(since)
    rows = (
        (
            f"`{domain + '.' if domain else ''}{op}`",
            *(", ".join(map(str, versions[kind])) for kind in ("shape", "fold")),
        )
        for (domain, op), versions in sorted(found.items())
    )
    return page(
        "Operators",
        f"{len(found)} operators have rules of their own. {OPERATORS_INTRODUCTION}",
        table(("operator", "shape rule", "fold kernel"), rows),
    )


def opsets_page() -> str:
    """Which changes of operators conversion to another operator set knows, in both directions."""
    from onnxsim_core.versions import steps

    steps.load()
    tables = []
    for title, found in (("Up", steps.UP), ("Down", steps.DOWN)):
        grouped: dict[tuple[int, Any], list[str]] = defaultdict(list)
        for (op_type, at), step in sorted(found.items()):
            grouped[at, step].append(f"`{op_type}`")
        rows = (
            (str(at), ", ".join(names), f"`{first_line(step).partition('  Source:')[0].rstrip('.')}`")
            for (at, step), names in sorted(grouped.items(), key=lambda item: (item[0][0], item[1]))
        )
        tables += [f"## {title}", table(("at", "operators", "what is written"), rows)]
    return page("Operator sets", OPSETS_INTRODUCTION, *tables)


def errors_page() -> str:
    """The error tree: the core's, and what other distributions add to it."""
    from onnxsim_core import errors

    modules = [importlib.import_module(dist.import_package) for dist in distributions() if dist.name != "onnxsim"]
    found = [c for _, c in inspect.getmembers(errors, inspect.isclass)]
    found += [getattr(module, name) for module in modules for name in module.__all__ if name.endswith("Error")]
    classes: list[type[errors.OnnxsimError]] = [c for c in dict.fromkeys(found) if issubclass(c, errors.OnnxsimError)]
    classes.sort(key=lambda c: (len(c.__mro__), c.__name__))
    rows = ((f"`{c.__name__}`", f"`{c.__bases__[0].__name__}`", f"`{c.default_code}`", first_line(c)) for c in classes)
    return page("Errors", inspect.getdoc(errors) or "", table(("error", "is a", "code", "meaning"), rows))


def api_page() -> str:
    """The public names of each distribution with their signatures and docstrings."""
    parts = []
    for dist in distributions():
        if dist.name == "onnxsim":
            continue  # it has no names of its own
        module = importlib.import_module(dist.import_package)
        parts.append(f"## {dist.import_package}")
        for name in sorted(module.__all__, key=str.lower):
            value = getattr(module, name)
            if inspect.isclass(value) and issubclass(value, BaseException):
                continue  # the errors have a page of their own
            if inspect.isclass(value) or inspect.isfunction(value):
                parts += [f"### {name}", fenced(signature(name, value)), fenced(inspect.getdoc(value) or "")]
    return page(
        "Python API",
        "`onnxsim` offers the names of every installed distribution. Errors are on [their own page](errors.md).",
        *parts,
    )


def signature(name: str, value: Any) -> str:
    """`name(a, b=1, *, c)`, one parameter a line; annotations as they are written."""
    parameters = inspect.signature(value).parameters.values()
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    lines, starred = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            lines.append("    *,")
            starred = True
        text = stars.get(parameter.kind, "") + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}"
        lines.append(f"    {text},")
    return "\n".join([f"{name}(", *lines, ")"])


def cli_page() -> str:
    """Every option of the command and of its sub-command, from their parsers."""
    from onnxsim_core.cli import inspect as inspecting
    from onnxsim_core.cli import main as cli

    command, inspector = cli.build_parser(), inspecting.build_parser()
    return page(
        "Command line",
        *parser_parts(command, "##"),
        "## onnxsim inspect",
        *parser_parts(inspector, "###"),
        command.epilog or "",
    )


def parser_parts(parser: argparse.ArgumentParser, level: str) -> Iterator[str]:
    """Description, usage, and a table for each group of options."""
    yield parser.description or ""
    yield fenced(parser.format_usage().removeprefix("usage: ").rstrip())
    for group in parser._action_groups:
        rows = [option_row(action) for action in group._group_actions if action.help is not argparse.SUPPRESS]
        if rows:
            yield f"{level} {(group.title or 'options').capitalize()}"
            if group.description:
                yield group.description
            yield table(("option", "default", "effect"), iter(rows))


def option_row(action: argparse.Action) -> tuple[str, str, str]:
    """An option with its values, its default and its help."""
    value = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    if action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    shown = "" if action.nargs == 0 else f" {value if isinstance(value, str) else ' '.join(value)}"
    shown += {"+": " ...", "*": " ...", "?": ""}.get(str(action.nargs), "")
    names = ", ".join(action.option_strings) + shown if action.option_strings else shown.strip()
    has_default = action.default not in (None, argparse.SUPPRESS, False, [], ())
    text = (action.help or "") % {**vars(action), "prog": "onnxsim"}
    return f"`{names}`", f"`{action.default}`" if has_default else "", text


def example_picture() -> str:
    """The example before and after, drawn by the command itself."""
    with tempfile.TemporaryDirectory(prefix="onnxsim-docs-") as folder:
        drawn = Path(folder) / "picture.svg"
        example = str(ROOT / "examples" / "just_reshape.onnx")
        words = [example, str(Path(folder) / "out.onnx"), "--picture", str(drawn)]
        subprocess.run([sys.executable, "-m", "onnxsim_core", *words], check=True, capture_output=True)
        return drawn.read_text(encoding="utf-8")


PAGES: dict[str, Callable[[], str]] = {
    "reference/api.md": api_page,
    "reference/cli.md": cli_page,
    "reference/errors.md": errors_page,
    "reference/operators.md": operators_page,
    "reference/opsets.md": opsets_page,
    "reference/passes.md": passes_page,
    "reference/presets.md": presets_page,
    "images/just_reshape.svg": example_picture,
}


def stale() -> Iterator[str]:
    """A diff for every page that is not what the code says."""
    for name, write in PAGES.items():
        path = DOCS / name
        stored = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        wanted = write().splitlines()
        if stored != wanted:
            diff = difflib.unified_diff(stored, wanted, f"{name} (stored)", f"{name} (generated)", lineterm="")
            yield "\n".join(diff)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        diffs = list(stale())
        print("\n".join(diffs))
        print(f"reference: {len(diffs)} stale pages of {len(PAGES)}; `python tools/gen_docs.py` writes them")
        return 1 if diffs else 0
    for name, write in PAGES.items():
        (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / name).write_text(write(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
