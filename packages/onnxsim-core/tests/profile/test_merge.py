import json

import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.profile.merge import merge_ort_traces, merge_ort_traces_into_profile, merged

TRACE = {"displayTimeUnit": "ms", "traceEvents": [
    {"name": "OrtSession", "ph": "X", "ts": 500.0, "dur": 9, "pid": 7, "tid": 1},
    {"name": "OrtSession", "ph": "X", "ts": 100.0, "dur": 9, "pid": 7, "tid": 1}]}


def ort(path, *names, tid=5):
    path.write_text(json.dumps([{"cat": "Node", "name": name, "ph": "X", "ts": index, "dur": 2, "pid": 1, "tid": tid,
                                 "args": {"op_name": name}} for index, name in enumerate(names)]
                               + [{"name": "begin", "ph": "B", "ts": 0}]))
    return path


def added(trace):
    return [event for event in trace["traceEvents"] if event.get("cat") == "onnxruntime"]


def test_each_session_begins_at_its_span(tmp_path):
    made = merge_ort_traces(TRACE, [ort(tmp_path / "a.json", "Conv", "Relu"), ort(tmp_path / "b.json", "Add")])

    assert [(event["name"], event["ts"], event["pid"]) for event in added(made)] == [
        ("Conv", 100.0, 7), ("Relu", 101.0, 7), ("Add", 500.0, 7)]
    assert added(made)[0]["args"] == {"op_name": "Conv", "ort_category": "Node"}
    assert len(TRACE["traceEvents"]) == 2  # the given trace is not changed


def test_threads_of_onnxruntime_are_tracks_of_their_own(tmp_path):
    made = merged(TRACE, [(str(ort(tmp_path / "a.json", "Conv", tid=5)), 0.0),
                          (str(ort(tmp_path / "b.json", "Add", tid=6)), 0.0)])
    tracks = {event["tid"] for event in added(made)}
    names = [event for event in made["traceEvents"] if event["ph"] == "M"]

    assert len(tracks) == 2 and 1 not in tracks
    assert {event["tid"] for event in names} == tracks
    assert all(event["args"] == {"name": "onnxruntime"} for event in names)


def test_a_session_without_a_span_goes_to_the_beginning(tmp_path):
    made = merge_ort_traces({"traceEvents": []}, [ort(tmp_path / "a.json", "Conv")])

    assert [event["ts"] for event in added(made)] == [0.0]


def test_into_a_profile_written_before(tmp_path):
    profile = tmp_path / "p.json"
    profile.write_text(json.dumps(TRACE))
    ort(tmp_path / "a.json", "Conv")
    (tmp_path / "note.txt").write_text("no trace")

    merge_ort_traces_into_profile(profile, tmp_path)

    assert [event["name"] for event in added(json.loads(profile.read_text()))] == ["Conv"]


def test_what_is_no_trace(tmp_path):
    (tmp_path / "bad.json").write_text("{")

    with pytest.raises(ModelError, match="is no trace"):
        merge_ort_traces(TRACE, [tmp_path / "bad.json"])
    with pytest.raises(ModelError, match="cannot be read"):
        merge_ort_traces(TRACE, [tmp_path / "none.json"])
    with pytest.raises(ModelError, match="is no profile"):
        merge_ort_traces_into_profile(tmp_path / "bad.json", tmp_path)
