from contextlib import contextmanager

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_core.passes.phases import NO_PHASES, Phases
from onnxsim_testkit import model


class Listener(Phases):
    """Notes everything it is told."""

    def __init__(self):
        self.told = []
        self.depth = 0

    @contextmanager
    def phase(self, name):
        self.told.append(("  " * self.depth) + name)
        self.depth += 1
        yield
        self.depth -= 1

    def step(self, stage, done, total):
        self.told.append((stage, done, total))

    def nodes(self, loop, count):
        self.told.append((loop, count))

    def watch(self, driver, ctx):
        self.told.append(type(driver).__name__)


TEXT = "g (float[2] x) => (float[2] y) { a = Identity(x) y = Relu(a) }"


def test_a_run_tells_what_it_does():
    listener = Listener()
    simplify(model(TEXT), phases=listener)

    phases = [told for told in listener.told if isinstance(told, str)]

    assert phases[:6] == ["Simplify", "  Read", "Driver", "  Pipeline", "    OptAndShape", "    OptAndShape"]
    assert phases[-1] == "  Tidy"
    assert ("Initial", 2) in listener.told and listener.told.count(("Optimize", 1)) == 2
    assert ("simplifying", 1, 0) in listener.told and ("simplifying", 2, 0) in listener.told


def test_writing_and_checking_are_told_too(tmp_path):
    listener = Listener()
    weight = {"w": np.ones(1024, np.float32)}
    proto = model("g (float[1024] x) => (float[1024] y) { y = Add(x, w) }", initializers=weight)
    simplify(proto, 2, output_path=tmp_path / "m.onnx", phases=listener)

    assert "  Write" in listener.told and "  Check" in listener.told
    assert [told for told in listener.told if told[0] == "checking"] == [("checking", 0, 2), ("checking", 1, 2),
                                                                         ("checking", 2, 2)]
    written = [told for told in listener.told if told[0] == "writing"]
    assert written[-1][1:] == ((tmp_path / "m.onnx").stat().st_size,) * 2


def test_by_default_nobody_listens():
    with NO_PHASES.phase("A"), NO_PHASES.phase("B"):
        pass
    with pytest.raises(KeyError), NO_PHASES.phase("A"):
        raise KeyError
    assert not NO_PHASES.records
