"""Simplify every case of onnx's own test suite in several ways, run the results, and write down how many are right.

    python -m conformance                      run everything, write docs/reference/conformance.md
    python -m conformance --check              run everything, fail if the page is not what would be written
    python -m conformance --kinds node --only softmax
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import onnx

from onnxsim_testkit.backend_suite import KINDS, backend_cases
from onnxsim_testkit.conformance import NOT_RUN, RUNTIMES, VARIANTS, Outcome, judge_case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "conformance.md"
INTRODUCTION = """\
Every case that the `onnx` wheel holds or generates is simplified in {ways} ways. Each result must pass onnx's checker,
give the outputs that the case expects, under the case's own bounds, and give what the original gives in the same
runtime. The judge of a case is onnxruntime with its optimisations off where it passes the case as it is, else
`onnx.reference`. What neither of them passes as it is cannot be judged: it is simplified all the same, which must not
fail.

`nox -s conformance` runs everything again and fails if a count below is another one."""
NOT_RUN_NOTE = """\
Of those judged. "Not run" counts cases that, changed that way, the judge does not run unsimplified either."""


def simplify(model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    from onnxsim_core import simplify

    return simplify(model, **options).model


def page(outcomes: list[Outcome]) -> str:
    """The page with the counts, and what could not be judged."""
    by_kind = {kind: [o for o in outcomes if o.kind == kind] for kind in KINDS}
    parts = [
        "# Conformance",
        "<!-- Written by `python -m conformance` in tools/; run it again instead of editing. -->",
        INTRODUCTION.format(ways=len(VARIANTS)),
        f"Run with onnx {version('onnx')} and onnxruntime {version('onnxruntime')}.",
        "## Cases",
        table(["kind", "cases", "judged by onnxruntime", "by onnx.reference", "not judged"], [
            [kind, len(found), *(sum(o.judge == judge for o in found) for judge in (*RUNTIMES, ""))]
            for kind, found in by_kind.items()
        ]),
        "## Right after simplifying",
        NOT_RUN_NOTE,
        table(["simplified", "right", "wrong", "not run"], list(_counts(outcomes))),
        "\n".join(f"- **{variant.name}**: {variant.what}" for variant in VARIANTS),
    ]  # fmt: skip
    wrong = [f"- `{o.name}`, {name}: {fault}" for o in outcomes for name, fault in o.faults.items()]
    if wrong:
        parts += ["## Wrong", "\n".join(wrong)]
    parts += ["## Not judged", "\n".join(f"- `{o.name}`" for o in outcomes if not o.judge)]
    return "\n\n".join(parts) + "\n"


def _counts(outcomes: list[Outcome]) -> Iterator[list[Any]]:
    for variant in VARIANTS:
        found = [o.variants[variant.name] for o in outcomes if o.judge or variant.name in o.faults]
        not_run = found.count(NOT_RUN)
        yield [variant.name, found.count(""), len(found) - found.count("") - not_run, not_run]


def table(header: list[str], rows: list[list[Any]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--check", action="store_true", help="compare with the page instead of writing it")
    parser.add_argument("--kinds", default="", help=f"some of {','.join(KINDS)}; the page is left alone then")
    parser.add_argument("--only", default="", help="cases with this in their name; the page is left alone then")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    outcomes = []
    for case in backend_cases(*filter(None, options.kinds.split(","))):
        if options.only in case.name:
            outcomes.append(judge_case(case, simplify))
            for name, fault in outcomes[-1].faults.items():
                print(f"{case.name}, {name}: {fault}", flush=True)
    faults = sum(len(outcome.faults) for outcome in outcomes)
    print(f"{len(outcomes)} cases, {faults} faults")
    if options.kinds or options.only:
        return 1 if faults else 0
    text = page(outcomes)
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is not what this run gives; run `python -m conformance` without --check")
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
