import numpy as np
import onnx

from onnxsim_core.delivery import Comparison, deliver
from onnxsim_core.ir.read import read_model
from onnxsim_core.passes.phases import NO_PHASES
from onnxsim_testkit import model

TEXT = "g (float[n,3] x) => (float[n,3] y) { y = Add(x, w) }"
PROTO = model(TEXT, initializers={"w": np.ones(3, np.float32)})
OTHER = model(TEXT, initializers={"w": np.zeros(3, np.float32)})


def comparison(n, original=PROTO):
    return Comparison(original=original, n=n, rtol=1e-4, atol=1e-5, fill="random", shapes={None: [4, 3]}, data=None,
                      custom_lib=None, phases=NO_PHASES)


def ir():
    return read_model(PROTO.SerializeToString())


def test_nothing_wanted_nothing_done():
    made = deliver(ir(), None, 1 << 30, comparison(0), NO_PHASES)

    assert (made.check, made.path, made.nbytes) == (None, None, None)


def test_writing_alone(tmp_path):
    path = str(tmp_path / "m.onnx")
    made = deliver(ir(), path, 1 << 30, comparison(0), NO_PHASES)

    assert (made.check, made.path, made.nbytes) == (None, path, (tmp_path / "m.onnx").stat().st_size)
    assert onnx.load(path) == PROTO


def test_comparing_alone():
    made = deliver(ir(), None, 1 << 30, comparison(2), NO_PHASES)

    assert made.check.ok and made.path is None and made.check.sizes == {"n": 4}


def test_an_equal_model_is_written(tmp_path):
    path = str(tmp_path / "m.onnx")
    made = deliver(ir(), path, 1 << 30, comparison(1), NO_PHASES)

    assert made.check.ok and made.path == path and onnx.load(path) == PROTO


def test_one_that_differs_is_not(tmp_path):
    made = deliver(ir(), str(tmp_path / "m.onnx"), 1 << 30, comparison(1, OTHER), NO_PHASES)

    assert not made.check.ok and made.path is None and made.nbytes > 0
    assert "'y' differs in run 0" in str(made.check)
    assert list(tmp_path.iterdir()) == []
