"""A recorded run as a trace for chrome://tracing and ui.perfetto.dev, and as a table."""

from __future__ import annotations

import json
import os
from typing import Any

from ..errors import ModelError
from .merge import merged
from .recorder import Recorder, Span

CATEGORY = "fixed_point"
_TID = 1


def trace_of(recorder: Recorder) -> dict[str, Any]:
    """The trace as the JSON object that is written."""
    pid = os.getpid()
    events: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": pid, "tid": _TID, "args": {"name": "onnxsim"}},
        {"name": "thread_name", "ph": "M", "pid": pid, "tid": _TID, "args": {"name": "simplify"}},
    ]
    events += [_span_event(span, pid) for span in recorder.spans]
    events += [{"name": "RSS", "ph": "C", "ts": _us(at), "pid": pid, "tid": _TID, "args": {"rss_mb": round(mb, 3)}}
               for at, mb in recorder.samples]
    events += [{"name": "NodeCount", "ph": "C", "ts": _us(at), "pid": pid, "tid": _TID,
                "args": {"node_count": count, "loop": loop}} for at, loop, count in recorder.counts]
    trace: dict[str, Any] = {"displayTimeUnit": "ms", "traceEvents": events}
    if recorder.wanted.merge_ort_profile:
        trace = merged(trace, [(session.path, _us(session.begin)) for session in recorder.sessions])
    return trace


def _span_event(span: Span, pid: int) -> dict[str, Any]:
    arguments = {
        "peak_rss_mb": round(span.peak_mb, 3),
        "begin_rss_mb": round(span.begin_mb, 3),
        "end_rss_mb": round(span.end_mb, 3),
        "delta_rss_mb": round(span.end_mb - span.begin_mb, 3),
        "cpu_ms": round(span.cpu * 1000, 3),
        "cpu_utilization": round(span.cpu / span.wall, 3) if span.wall else 0.0,
        "depth": len(span.path) - 1,
    }
    if span.visits:
        arguments["visits"] = span.visits
    return {"name": span.name, "cat": CATEGORY, "ph": "X", "ts": _us(span.begin), "dur": max(_us(span.wall), 0.001),
            "pid": pid, "tid": _TID, "args": arguments}


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 3)


def write_trace(recorder: Recorder, path: str) -> None:
    """Write the trace.

    Raises:
        ModelError: it cannot be written.
    """
    text = json.dumps(trace_of(recorder))
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ModelError(f"the profile cannot be written: {error.strerror}", code="output", where=path) from error


# --- table ---------------------------------------------------------------------------------------------------------
def summary(recorder: Recorder) -> str:
    """Calls, wall and CPU time, longest call and peak memory by function, nested as they call each other."""
    rows: dict[tuple[str, ...], list[Span]] = {}
    for span in recorder.spans:
        rows.setdefault(span.path, []).append(span)
    lines = [(f"{'  ' * (len(path) - 1)}{path[-1]}", spans) for path, spans in _nested(rows)]
    width = max([24, *(len(label) for label, _ in lines)])
    rule = "-" * (width + 61)
    head = f"{'function':<{width}}{'calls':>8}{'wall(ms)':>13}{'cpu(ms)':>13}{'max wall(ms)':>14}{'peak(MiB)':>13}"
    text = ["onnxsim profiling summary (per fixed-point function)", rule, head, rule]
    for label, spans in lines:
        wall, cpu = sum(span.wall for span in spans) * 1000, sum(span.cpu for span in spans) * 1000
        longest, peak = max(span.wall for span in spans) * 1000, max(span.peak_mb for span in spans)
        text.append(f"{label:<{width}}{len(spans):>8}{wall:>13.2f}{cpu:>13.2f}{longest:>14.2f}{peak:>13.2f}")
    return "\n".join([*text, rule])


def _nested(rows: dict[tuple[str, ...], list[Span]]) -> list[tuple[tuple[str, ...], list[Span]]]:
    """Parents before their children, siblings in the order in which they first ran."""
    first = {path: index for index, path in enumerate(rows)}
    order = sorted(rows, key=lambda path: [first.get(path[:depth], 0) for depth in range(1, len(path) + 1)])
    return [(path, rows[path]) for path in order]
