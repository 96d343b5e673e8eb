"""onnxruntime's own traces inside the trace of a run, on tracks of their own."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError

CATEGORY = "onnxruntime"
_FIRST_TID = 100_000


def merged(trace: dict[str, Any], sessions: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """A copy of the trace with the events of each session, which began at the given microsecond."""
    events = list(trace.get("traceEvents", ()))
    pid = next((event["pid"] for event in events if "pid" in event), os.getpid())
    tracks: dict[Any, int] = {}
    for path, begin in sessions:
        for event in _read(path):
            if event.get("ph") != "X":
                continue
            key = event.get("tid")
            if key not in tracks:
                tracks[key] = _FIRST_TID + len(tracks)
                events.append({"name": "thread_name", "ph": "M", "pid": pid, "tid": tracks[key],
                               "args": {"name": CATEGORY}})
            arguments = dict(event.get("args") or {})
            if event.get("cat"):
                arguments["ort_category"] = event["cat"]
            events.append({"name": event.get("name", ""), "cat": CATEGORY, "ph": "X", "pid": pid, "tid": tracks[key],
                           "ts": begin + float(event.get("ts", 0)), "dur": event.get("dur", 0), "args": arguments})
    return {**trace, "traceEvents": events}


def _read(path: str) -> list[dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", code="file", where=path) from error
    except ValueError as error:
        raise ModelError(f"is no trace: {error}", code="file", where=path) from error
    found = data.get("traceEvents", []) if isinstance(data, dict) else data
    return [event for event in found if isinstance(event, dict)]


def merge_ort_traces(trace: dict[str, Any], paths: Sequence[str | os.PathLike[str]]) -> dict[str, Any]:
    """Put onnxruntime's traces into a trace of ours: the first at the first `OrtSession` span, and so on.

    A trace that has no span of its own goes to the beginning.

    Raises:
        ModelError: a file is missing or no trace.
    """
    begins = [float(event["ts"]) for event in trace.get("traceEvents", ()) if event.get("name") == "OrtSession"]
    begins.sort()
    begins += [0.0] * (len(paths) - len(begins))
    return merged(trace, list(zip([os.fspath(path) for path in paths], begins, strict=False)))


def merge_ort_traces_into_profile(profile_path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Put every trace of a folder, by name, into a profile written before.

    Raises:
        ModelError: a file is missing, no trace, or cannot be written.
    """
    place = os.fspath(profile_path)
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    paths = [path for path in paths if os.path.abspath(path) != os.path.abspath(place)]
    try:
        with open(place, encoding="utf-8") as file:
            trace = json.load(file)
    except (OSError, ValueError) as error:
        raise ModelError(f"is no profile: {error}", code="file", where=place) from error
    text = json.dumps(merge_ort_traces(trace, paths))
    try:
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ModelError(f"cannot be written: {error.strerror}", code="output", where=place) from error
