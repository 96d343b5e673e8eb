"""Models that only something else can read: whatever has a `read_model()`."""

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import assert_same_outputs, model, random_feeds

TEXT = "g (float[2,3] x) => (float[2,4] y) { t = MatMul(x, w) y = Identity(t) }"
WEIGHT = {"w": np.arange(12, dtype=np.float32).reshape(3, 4)}


class Container:
    """Gives a model of its own each time, as a plugin's container does."""

    def __init__(self):
        self.proto = model(TEXT, initializers=WEIGHT)
        self.times = 0

    def read_model(self):
        self.times += 1
        return read_model(self.proto)


def test_it_is_asked_for_its_model():
    container = Container()

    first, second = read_model(container), read_model(container)

    assert container.times == 2
    assert first is not second
    assert [node.op_type for node in first.graph] == ["MatMul", "Identity"]


def test_it_is_simplified_and_compared():
    container = Container()

    result = simplify(container, check_n=1)

    assert result.ok and result.check.runs == 1
    assert [node.op_type for node in result.model.graph.node] == ["MatMul"]
    assert_same_outputs(container.proto, result.model, random_feeds(container.proto, seed=0), rtol=0, atol=0)


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match="not dict"):
        read_model({"graph": None})
