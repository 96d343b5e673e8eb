"""The number of nodes round by round, from a profile, as a PNG picture."""

from __future__ import annotations

import json
import os
from typing import Any

from ..errors import ModelError, OnnxsimError

LOOPS = ("Initial", "Optimize", "FoldConstant", "Rewrite")


class PlotError(OnnxsimError, RuntimeError):
    """No picture can be drawn: matplotlib is missing, or the profile holds no counts."""

    default_code = "plot"


def load_node_counts(trace_path: str | os.PathLike[str]) -> dict[str, list[int]]:
    """Node counts by loop, in the order in which they were taken.

    Raises:
        ModelError: the file is missing or no trace.
    """
    path = os.fspath(trace_path)
    try:
        with open(path, encoding="utf-8") as file:
            events: list[Any] = json.load(file)["traceEvents"]
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", code="file", where=path) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError("is no profile", code="file", where=path) from error
    found = [event for event in events if event.get("ph") == "C" and event.get("name") == "NodeCount"]
    counts: dict[str, list[int]] = {}
    for event in sorted(found, key=lambda one: float(one["ts"])):
        counts.setdefault(event["args"]["loop"], []).append(int(event["args"]["node_count"]))
    return counts


def plot_node_reduction(trace_path: str | os.PathLike[str], out_path: str | os.PathLike[str] | None = None) -> str:
    """Draw one plot per loop and give the path of the picture, `<trace>_node_reduction.png` unless said otherwise.

    Raises:
        RuntimeError: matplotlib is not installed, or the profile holds no counts.
        ModelError: the profile cannot be read, or the picture not written.
    """
    counts = load_node_counts(trace_path)
    start = counts.pop("Initial", [])
    loops = [loop for loop in (*LOOPS, *counts) if loop in counts]
    if not loops:
        raise PlotError("the profile holds no node counts", where=os.fspath(trace_path))
    try:
        import matplotlib
    except ImportError as error:
        raise PlotError("drawing needs matplotlib", hint="pip install 'onnxsim[plot]'") from error
    from matplotlib.figure import Figure

    target = os.fspath(out_path) if out_path is not None else f"{os.fspath(trace_path)}_node_reduction.png"
    names = list(dict.fromkeys(loops))
    with matplotlib.rc_context({"axes.grid": True, "grid.alpha": 0.3}):
        figure = Figure(figsize=(4.5 * len(names), 3.6), layout="constrained")
        for axes, loop in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
            values = [*start[:1], *counts[loop]]
            axes.plot(range(len(values)), values, marker="o")
            axes.set_title(loop)
            axes.set_xlabel("round")
            axes.set_ylabel("nodes")
            axes.set_ylim(bottom=0)
            axes.xaxis.get_major_locator().set_params(integer=True)
        try:
            figure.savefig(target, format="png", dpi=120)
        except OSError as error:
            raise ModelError(f"cannot be written: {error.strerror}", code="output", where=target) from error
    return target
