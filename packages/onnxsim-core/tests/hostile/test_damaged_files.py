"""A slice of damaged files; `python -m fuzzing files` in tools tries many more."""

import random
import warnings

import pytest

from onnxsim_core import OnnxsimError, simplify
from onnxsim_testkit import model
from onnxsim_testkit.fuzzing import Reject, random_graph
from onnxsim_testkit.fuzzing.hostile import mutated

TEXT = """<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
    g (float[n,4] x, bool c) => (float[] y, float[] z) <float[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}> {
        a = MatMul(x, w) s = Shape(a) r = Reshape(a, s) b = local.F(r)
        y = If(c) <then_branch = t () => (float[] p) { p = Neg(b) }, else_branch = e () => (float[] q) { q = Abs(b) }>
        k = Constant<value_ints = [0, -1]>() z = Reshape(x, k) }
    <domain: "local", opset_import: ["" : 21]> F (i) => (o) { h = Relu(i) o = Add(h, h) }"""


def bases():
    found = [model(TEXT).SerializeToString()]
    for seed in range(20):
        try:
            found.append(random_graph(seed, nodes=6).model.SerializeToString())
        except Reject:
            continue
    return [data for data in found if len(data) < 10_000]


@pytest.fixture(scope="module")
def starts():
    return bases()


@pytest.mark.parametrize("part", range(6))
def test_damage_gives_a_model_or_an_error_of_ours(starts, part, tmp_path):
    rng = random.Random(part)
    outcomes = {"model": 0, "error": 0}
    for _ in range(250):
        data = mutated(rng.choice(starts), rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                simplify(data).model.SerializeToString()
                outcomes["model"] += 1
            except OnnxsimError as error:
                assert str(error)
                outcomes["error"] += 1
    assert min(outcomes.values()) > 20


def test_damage_to_a_file_leaves_everything_else_alone(starts, tmp_path):
    rng = random.Random(99)
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    source, target = folder / "model.onnx", folder / "out.onnx"
    for _ in range(150):
        data = mutated(rng.choice(starts), rng)
        source.write_bytes(data)
        try:
            simplify(source, output_path=target)
        except OnnxsimError:
            assert not target.exists()
        assert source.read_bytes() == data
        assert secret.read_bytes() == b"secret"
        assert {path.name for path in folder.iterdir()} <= {"model.onnx", "out.onnx", "out.onnx.data"}
        target.unlink(missing_ok=True)
    assert {path.name for path in tmp_path.iterdir()} == {"secret", "folder"}
