import time

import pytest
from cli.running import RESHAPE, SIZES

from onnxsim_core import simplify
from onnxsim_core.options import Environment
from onnxsim_core.passes.phases import Phases
from onnxsim_core.profile.recorder import Clock, Recorder
from onnxsim_testkit import model

WANTED = Environment(profile="unused.json")


def recorded(**options):
    with Recorder(WANTED) as recorder:
        result = simplify(model(RESHAPE, initializers=SIZES), phases=recorder, **options)
    return recorder, result


def test_phases_nest_as_they_ran():
    recorder, _ = recorded()
    paths = {"/".join(span.path) for span in recorder.spans}

    assert {"Simplify", "Simplify/Read", "Simplify/Pipeline", "Simplify/Pipeline/OptAndShape", "Simplify/Tidy",
            "Simplify/Pipeline/OptAndShape/Optimize", "Simplify/Pipeline/OptAndShape/InferShapes"} <= paths
    whole = recorder.spans[0]
    for span in recorder.spans:
        assert whole.begin <= span.begin and span.wall <= whole.wall + 1e-6
        assert span.peak_mb >= max(span.begin_mb, span.end_mb) - 1e-9


def test_the_parts_of_a_round_are_no_longer_than_the_round():
    recorder, _ = recorded()
    rounds = [span for span in recorder.spans if span.name == "OptAndShape"]
    parts = [span for span in recorder.spans if len(span.path) == len(rounds[0].path) + 1]

    assert sum(part.wall for part in parts) <= sum(one.wall for one in rounds) + 1e-6
    assert sum(part.visits for part in parts if part.name == "InferShapes") >= 9


def test_node_counts_begin_with_the_original():
    recorder, result = recorded()

    assert recorder.counts[0][1:] == ("Initial", 9)
    assert recorder.counts[-1][2] == len(result.model.graph.node)


def test_recording_changes_nothing():
    recorder, result = recorded(check_n=1)

    assert result.ok
    assert result.model == simplify(model(RESHAPE, initializers=SIZES)).model
    assert any(span.name == "Check" for span in recorder.spans)


def test_an_error_leaves_no_phase_open():
    with pytest.raises(ZeroDivisionError), Recorder(WANTED) as recorder, recorder.phase("A"), recorder.phase("B"):
        raise ZeroDivisionError

    assert [(span.name, span.end >= span.begin) for span in recorder.spans] == [("A", True), ("B", True)]
    assert recorder._open == []
    assert not recorder._thread.is_alive()


def test_memory_is_looked_at_while_a_phase_runs():
    with Recorder(Environment(profile_interval_ms=1.0)) as recorder, recorder.phase("A"):
        held = bytearray(64 << 20)
        held[::4096] = b"x" * len(held[::4096])
        deadline = time.monotonic() + 10
        seen = len(recorder.samples)
        while len(recorder.samples) < seen + 3 and time.monotonic() < deadline:
            time.sleep(0.001)
        del held

    assert recorder.spans[0].peak_mb - recorder.spans[0].begin_mb > 48


class Follower(Phases):
    """Notes what it hears."""

    def __init__(self):
        self.heard = []

    def step(self, stage, done, total):
        self.heard.append(stage)

    def nodes(self, loop, count):
        self.heard.append(loop)

    def before_session(self, options):
        self.heard.append("before")

    def after_session(self, session):
        self.heard.append("after")


def test_the_next_listener_hears_everything():
    follower = Follower()
    recorder = Recorder(WANTED, follower)
    recorder.step("writing", 1, 2)
    recorder.nodes("Optimize", 3)
    recorder.before_session(None)
    recorder.after_session(None)

    assert follower.heard == ["writing", "Optimize", "before", "after"]


class Session:
    """Stands for an onnxruntime session and its options."""

    enable_profiling = False
    profile_file_prefix = ""

    def end_profiling(self):
        return self.profile_file_prefix + ".json"


def test_sessions_are_profiled_under_prefixes_of_their_own(tmp_path):
    recorder = Recorder(Environment(ort_profile=str(tmp_path / "ort")))
    first, second = Session(), Session()
    for session in (first, second):
        recorder.before_session(session)
    for session in (second, first):
        recorder.after_session(session)

    assert first.enable_profiling and first.profile_file_prefix == str(tmp_path / "ort_0")
    paths = [session.path for session in recorder.sessions]
    assert paths == [str(tmp_path / "ort_1.json"), str(tmp_path / "ort_0.json")]


def test_sessions_are_left_alone_when_not_asked_for():
    recorder = Recorder(WANTED)
    session = Session()
    recorder.before_session(session)
    recorder.after_session(session)

    assert not session.enable_profiling and recorder.sessions == []


def test_for_merging_the_traces_go_to_a_folder_that_goes_away():
    import os

    with Recorder(Environment(merge_ort_profile=True)) as recorder:
        session = Session()
        recorder.before_session(session)
        folder = os.path.dirname(session.profile_file_prefix)
        assert os.path.isdir(folder)
    recorder.close()

    assert not os.path.exists(folder)


def test_time_inside_another_function_is_counted_once():
    clock = Clock()
    clock.start()
    inner = clock.timed("inner", lambda: time.sleep(0.02))
    outer = clock.timed("outer", inner)
    outer()
    clock.switch()

    assert clock.totals["inner"][0] >= 0.02 > clock.totals["outer"][0]
    assert (clock.totals["inner"][2], clock.totals["outer"][2], clock.stack) == (1, 1, ["Optimize"])
