"""Models whose external data lies in a real .safetensors file; run by the safetensors session, which installs the package.

Nothing in onnxsim knows of them: they are ordinary external data, at offsets behind a header.
"""

import json
import struct

import numpy as np
import onnx
import onnx_safetensors
import pytest
import safetensors.numpy

from onnxsim_core import ModelError, simplify
from onnxsim_testkit import assert_same_outputs, model, random_feeds

pytestmark = pytest.mark.safetensors

RNG = np.random.default_rng(0)
WEIGHTS = {
    "w": RNG.standard_normal((64, 32)).astype(np.float32),
    "h": RNG.standard_normal((32, 32)).astype(np.float16),
    "b": RNG.standard_normal(32).astype(np.float32),
    "i": np.arange(3),
    "flag": np.array([True, False, True]),
}
PROTO = model(
    """g (float[n,64] x) => (float[n,32] z, bool[3] f, int64[3] j) {
    a = Identity(x) m = MatMul(a, w) s = Add(m, b) c = Cast<to=1>(h) z = MatMul(s, c) f = Not(flag) j = Neg(i) }""",
    initializers=WEIGHTS,
)
FEEDS = random_feeds(PROTO, seed=0, dims={"n": 2})


@pytest.fixture(params=["save_model", "sharded", "save_file", "load_file_as_external_data"])
def source(request, tmp_path):
    """A model written in each of the ways the package has."""
    path = tmp_path / "model.onnx"
    if request.param == "save_model":
        onnx_safetensors.save_model(PROTO, path)
    elif request.param == "sharded":
        onnx_safetensors.save_model(PROTO, path, max_shard_size="4KB")
    elif request.param == "save_file":
        made = onnx_safetensors.save_file(PROTO, "model.safetensors", base_dir=tmp_path, replace_data=True)
        onnx.save(made, path)
    else:
        safetensors.numpy.save_file(WEIGHTS, tmp_path / "w.safetensors")
        onnx.save(onnx_safetensors.load_file_as_external_data(PROTO, "w.safetensors", base_dir=tmp_path), path)
    assert list(tmp_path.glob("*.safetensors")) and path.stat().st_size < 4096
    return path


def test_such_a_model_simplifies_from_its_path(source):
    result = simplify(source, 1)

    assert result.ok and not result.report.blamed
    assert [node.op_type for node in result.model.graph.node] == ["Gemm", "MatMul"]
    assert_same_outputs(PROTO, result.model, FEEDS, rtol=1e-3, atol=1e-3)


def test_and_when_onnx_has_read_it(source):
    result = simplify(onnx.load(source))

    assert_same_outputs(PROTO, result.model, FEEDS, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("options", [{}, {"save_as_external_data": True}])
def test_it_is_written_like_any_other(source, options):
    target = source.parent / "out" / "simple.onnx"
    target.parent.mkdir()
    assert simplify(source, 1, output_path=target, **options).ok

    assert sorted(path.name for path in target.parent.iterdir()) == [
        "simple.onnx",
        *(["simple.onnx.data"] if options else []),
    ]
    assert_same_outputs(PROTO, onnx.load(target), FEEDS, rtol=1e-3, atol=1e-3)


def test_written_in_its_own_place_it_stays_readable(source):
    """The .safetensors file beside it is read while the model is written, and stays as it is."""
    before = {path.name: path.read_bytes() for path in source.parent.glob("*.safetensors")}
    simplify(source, 1, output_path=source)

    assert {path.name: path.read_bytes() for path in source.parent.glob("*.safetensors")} == before
    assert_same_outputs(PROTO, onnx.load(source), FEEDS, rtol=1e-3, atol=1e-3)


def test_the_package_takes_what_was_simplified(source):
    simplified = simplify(source).model
    onnx_safetensors.save_model(simplified, source.parent / "again.onnx", external_data="again.safetensors")

    assert simplify(source.parent / "again.onnx", 1).ok
    assert_same_outputs(simplified, onnx.load(source.parent / "again.onnx"), FEEDS, rtol=0, atol=0)


def test_a_file_that_was_cut_short_is_an_error(tmp_path):
    onnx_safetensors.save_model(PROTO, tmp_path / "model.onnx")
    data = (tmp_path / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    assert json.loads(data[8 : 8 + length]), "a header with the names of all tensors"
    (tmp_path / "model.safetensors").write_bytes(data[: len(data) // 2])

    with pytest.raises(ModelError, match=r"model\.safetensors"):
        simplify(tmp_path / "model.onnx").model  # noqa: B018
