"""Simplify the project's models with every tool that is installed, and write what came of it as a table.

    python tools/compare_tools.py [--models a,b] [--tools onnxsim-core,onnxsim,...] [--reps 3] [--out FILE]

Each run is a process of its own that imports the tool before the clock starts and then loads, simplifies and saves one
model. Runs of the tools alternate, so that a busy moment of the machine falls on all of them. Afterwards each result is
compared with the original in onnxruntime. `nox -s compare` installs the tools beside each other first.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "packages/onnxsim-core/tests/models"
MODULES = {
    "onnxsim-core": "onnxsim_core",
    "onnxsim": "onnxsim",
    "onnxslim": "onnxslim",
    "onnxoptimizer": "onnxoptimizer",
    "onnxruntime": "onnxruntime",
}
SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "hf_t5_encoder_ts17_dyn": {"input_ids": (2, 9), "attention_mask": (2, 9)},
    "q_dynamic_bert_ts13": {"input_ids": (2, 9), "attention_mask": (2, 9)},
    "timm_mobilevit_s_ts17_dynhw": {"x": (1, 3, 96, 64)},
}
LIMIT_S = 300


def job(tool: str) -> Callable[[str, str], object]:
    """The tool's way from a file to a file; what it needs is imported now."""
    if tool == "onnxruntime":
        importlib.import_module("onnxruntime")
        return onnxruntime_basic
    # Not imported by name: the published onnxsim is no dependency, and has the name of a member of the workspace.
    module: Any = importlib.import_module(MODULES[tool])
    if tool == "onnxsim-core":
        return lambda source, target: module.simplify(source, output_path=target)
    if tool == "onnxsim":
        return lambda source, target: module.simplify(source, output_path=target, certify=False)
    if tool == "onnxslim":
        return lambda source, target: onnx.save(module.slim(onnx.load(source)), target)
    return lambda source, target: onnx.save(module.optimize(onnx.load(source)), target)


def onnxruntime_basic(source: str, target: str) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = target
    options.log_severity_level = 4
    onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def run_here(tool: str, source: str, target: str) -> None:
    """In a process of its own: one run, its figures as JSON on stdout."""
    simplify = job(tool)
    began = time.perf_counter()
    simplify(source, target)
    seconds = time.perf_counter() - began
    print("\n" + json.dumps({"seconds": seconds, "peak_mib": peak_mib()}))


def peak_mib() -> float:
    """Of this process; what the system counts for it elsewhere begins with what its parent had."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(tool: str, source: Path, target: Path) -> dict[str, Any] | None:
    """One run; None if the tool failed or took too long."""
    command = [sys.executable, __file__, "--run", tool, str(source), str(target)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def nodes(model: onnx.ModelProto) -> int:
    """Nodes at every depth and in functions, without Constants."""

    def count(items: Any) -> int:
        total = 0
        for node in items:
            total += node.op_type != "Constant"
            total += sum(count(a.g.node) for a in node.attribute if a.type == onnx.AttributeProto.GRAPH)
        return total

    return count(model.graph.node) + sum(count(function.node) for function in model.functions)


def verdict(source: Path, target: Path, name: str) -> str:
    """`equal`, or what is wrong with the result in a word."""
    from onnxsim_core import CheckError
    from onnxsim_core.check import check_equal

    try:
        result = check_equal(source, target, n=2, rtol=1e-3, atol=1e-4, input_shapes=SIZES.get(name))
    except CheckError:
        return "does not run"
    return "equal" if result.ok else "differs"


def measure(name: str, source: Path, tools: list[str], reps: int, folder: Path) -> dict[str, dict[str, Any]]:
    """What each tool made of one model."""
    runs: dict[str, list[dict[str, Any]]] = {tool: [] for tool in tools}
    failed: set[str] = set()
    for rep in range(reps):
        for tool in tools[rep % len(tools):] + tools[:rep % len(tools)]:
            if tool not in failed:
                figures = run(tool, source, folder / f"{tool}.onnx")
                if figures is None:
                    failed.add(tool)
                else:
                    runs[tool].append(figures)
    results: dict[str, dict[str, Any]] = {}
    for tool in tools:
        target = folder / f"{tool}.onnx"
        if tool in failed or not target.exists():
            results[tool] = {"verdict": "fails"}
            continue
        results[tool] = {
            "nodes": nodes(onnx.load(target, load_external_data=False)),
            "bytes": target.stat().st_size,
            "seconds": statistics.median(r["seconds"] for r in runs[tool]),
            "peak_mib": statistics.median(r["peak_mib"] for r in runs[tool]),
            "verdict": verdict(source, target, name),
        }
    return results


def table(rows: dict[str, dict[str, dict[str, Any]]], originals: dict[str, tuple[int, int]], tools: list[str]) -> str:
    """The page: versions, a row per model with a cell per tool, and the geometric means."""
    versions = ", ".join(f"{tool} {importlib.metadata.version(tool)}" for tool in tools)
    lines = [
        "# Comparison",
        "",
        f"Written by `nox -s compare`: {versions}; onnx {onnx.__version__}.",
        "",
        "A cell holds the nodes left (Constant nodes not counted), the time of load, simplify and save relative to "
        "onnxsim-core in the same run, the peak of memory, and a mark where the result is not the original: "
        "≠ other outputs, ✗ does not run, ! the tool failed.",
        "",
        "| model | nodes | MB | " + " | ".join(tools) + " |",
        "| --- | ---: | ---: |" + " --- |" * len(tools),
    ]
    for name, cells in rows.items():
        count, size = originals[name]
        base = cells[tools[0]].get("seconds")
        shown = [cell(cells[tool], base) for tool in tools]
        lines.append(f"| {name} | {count} | {size / 1e6:.1f} | " + " | ".join(shown) + " |")
    lines += ["", "Geometric means over the models that both simplify:", ""]
    for tool in tools[1:]:
        both = [(c[tool], c[tools[0]]) for c in rows.values() if "seconds" in c[tool] and "seconds" in c[tools[0]]]
        if both:
            time_ratio = statistics.geometric_mean(a["seconds"] / b["seconds"] for a, b in both)
            node_ratio = statistics.geometric_mean(max(a["nodes"], 1) / max(b["nodes"], 1) for a, b in both)
            lines.append(f"- {tool}: {time_ratio:.1f} times the time, {node_ratio:.2f} times the nodes "
                         f"({len(both)} models)")
    return "\n".join(lines) + "\n"


def cell(result: dict[str, Any], base: float | None) -> str:
    mark = {"equal": "", "differs": " ≠", "does not run": " ✗", "fails": "!"}[result["verdict"]]
    if "seconds" not in result:
        return mark
    ratio = "" if base is None else f" · {result['seconds'] / base:.1f}×"
    return f"{result['nodes']}{ratio} · {result['peak_mib']:.0f} MiB{mark}"


def main(argv: list[str]) -> int:
    if argv[:1] == ["--run"]:
        run_here(*argv[1:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", help="names, separated by commas; default all")
    parser.add_argument("--tools", default="", help="names, separated by commas; default all that are installed")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--out", type=Path, help="file for the table; default the terminal")
    args = parser.parse_args(argv)
    from onnxsim_testkit.packed import unpack

    found = [tool for tool, module in MODULES.items() if importlib.util.find_spec(module) is not None]
    tools = [tool for tool in args.tools.split(",") if tool] or found
    wanted = {name for name in args.models.split(",") if name}
    rows, originals = {}, {}
    for path in sorted(MODELS.glob("*.onnxpack")):
        if wanted and path.stem not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "model.onnx"
            model = unpack(path)
            onnx.save(model, source)
            originals[path.stem] = nodes(model), source.stat().st_size
            rows[path.stem] = measure(path.stem, source, tools, args.reps, Path(folder))
        print(path.stem, {tool: r.get("nodes", r["verdict"]) for tool, r in rows[path.stem].items()}, file=sys.stderr)
    page = table(rows, originals, tools)
    if args.out is None:
        print(page)
    else:
        args.out.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
