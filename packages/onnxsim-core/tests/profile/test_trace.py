import json

import pytest
from cli.running import RESHAPE, SIZES

from onnxsim_core import simplify
from onnxsim_core.errors import ModelError
from onnxsim_core.options import Environment
from onnxsim_core.profile.recorder import Recorder, Span
from onnxsim_core.profile.trace import summary, trace_of, write_trace
from onnxsim_testkit import model


@pytest.fixture(scope="module")
def recorder():
    with Recorder(Environment(profile="unused.json")) as made:
        simplify(model(RESHAPE, initializers=SIZES), phases=made)
    return made


def test_the_trace_is_what_viewers_read(recorder):
    trace = json.loads(json.dumps(trace_of(recorder)))

    assert trace["displayTimeUnit"] == "ms"
    for event in trace["traceEvents"]:
        assert {"name", "ph", "pid", "tid"} <= event.keys()
        assert event["ph"] in "XCM"
        if event["ph"] == "X":
            assert event["ts"] >= 0 and event["dur"] > 0 and event["cat"] == "fixed_point"
            assert {"peak_rss_mb", "begin_rss_mb", "end_rss_mb", "delta_rss_mb", "cpu_ms", "cpu_utilization",
                    "depth"} <= event["args"].keys()
        if event["ph"] == "C":
            assert event["ts"] >= 0 and event["args"]


def test_spans_on_a_track_nest(recorder):
    """Viewers draw two spans that overlap without one holding the other wrongly."""
    spans = [(event["ts"], event["ts"] + event["dur"]) for event in trace_of(recorder)["traceEvents"]
             if event["ph"] == "X"]
    for begin, end in spans:
        for start, stop in spans:
            overlaps = begin < start - 0.01 and start < end - 0.01 and end < stop - 0.01
            assert not overlaps, ((begin, end), (start, stop))


def test_counters_and_names(recorder):
    events = trace_of(recorder)["traceEvents"]
    counts = [event["args"] for event in events if event["name"] == "NodeCount"]

    assert counts[0] == {"node_count": 9, "loop": "Initial"} and counts[-1]["node_count"] == 1
    assert all(event["args"]["rss_mb"] > 0 for event in events if event["name"] == "RSS")
    assert [event["args"]["name"] for event in events if event["ph"] == "M"] == ["onnxsim", "simplify"]


def span(path, begin, wall, cpu=0.0, peak=1.0):
    names = tuple(path.split("/"))
    return Span(names[-1], names, begin, 0.0, 0.0, peak, begin + wall, cpu, 0.0)


def test_the_table_adds_up_calls_and_nests_them():
    recorder = Recorder(Environment())
    recorder.spans = [span("A", 0, 1.0, 0.5, 9), span("A/B", 0, 0.25, 0.125, 7), span("A/C", 0.3, 0.1),
                      span("A/B", 0.5, 0.5, 0.25, 8), span("A/B/D", 0.5, 0.125)]
    rows = [line.split() for line in summary(recorder).splitlines()[4:-1]]
    indents = [len(line) - len(line.lstrip()) for line in summary(recorder).splitlines()[4:-1]]

    assert rows == [["A", "1", "1000.00", "500.00", "1000.00", "9.00"],
                    ["B", "2", "750.00", "375.00", "500.00", "8.00"],
                    ["D", "1", "125.00", "0.00", "125.00", "1.00"], ["C", "1", "100.00", "0.00", "100.00", "1.00"]]
    assert indents == [0, 2, 4, 2]


def test_the_trace_is_written(recorder, tmp_path):
    write_trace(recorder, str(tmp_path / "p.json"))

    assert json.loads((tmp_path / "p.json").read_text())["traceEvents"]
    with pytest.raises(ModelError, match="the profile cannot be written"):
        write_trace(recorder, str(tmp_path / "no" / "p.json"))
