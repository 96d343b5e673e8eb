"""Equal constants are stored once, and only equal ones."""

import numpy as np
import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.passes.duplicates import WHOLE, merge_duplicate_constants
from onnxsim_core.rewrite.driver import Driver
from onnxsim_testkit import assert_same_outputs, model, random_feeds

TWO = "g (float[2] x) => (float[m] y, float[m] z) { y = my.A(x, a) z = my.B(x, b) }"


def merged(proto, *, bodies=True):
    """How many were merged, and which constants are left."""
    ir = read_model(proto)
    count = merge_duplicate_constants(ir, Driver(ir, {}, ctx=Inference(ir), bodies=bodies))
    result = model_proto(ir)
    return count, [tensor.name for tensor in result.graph.initializer], result


def two(a, b):
    return model(TWO, domains={"my": 1}, initializers={"a": a, "b": b})


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.float32([1, 2]), np.float32([1, 2])),
        (np.float32([np.nan]), np.float32([np.nan])),
        (np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)),
        (np.array(3), np.array(3)),
        (np.array(["a", "b"], object), np.array(["a", "b"], object)),
        (np.arange(WHOLE, dtype=np.int32), np.arange(WHOLE, dtype=np.int32)),
    ],
)
def test_equal_bytes_are_stored_once(a, b):
    count, names, result = merged(two(a, b))

    assert (count, names) == (1, ["a"])
    assert [list(node.input) for node in result.graph.node] == [["x", "a"], ["x", "a"]]


def with_one_changed(array, place):
    changed = array.copy()
    changed[place] += 1
    return changed


LARGE = np.zeros(WHOLE, np.int32)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.float32([0.0]), np.float32([-0.0])),
        (np.uint32([0x7FC00000]).view(np.float32), np.uint32([0x7FC00001]).view(np.float32)),
        (np.float32([1]), np.float64([1])),
        (np.int32([0]), np.float32([0])),
        (np.zeros((2, 1), np.float32), np.zeros((1, 2), np.float32)),
        (np.zeros((0, 3), np.float32), np.zeros((3, 0), np.float32)),
        (np.array(["a", "bc"], object), np.array(["ab", "c"], object)),
        *((LARGE, with_one_changed(LARGE, place)) for place in (0, 5000, WHOLE - 1)),
    ],
)
def test_anything_else_stays_apart(a, b):
    count, names, _ = merged(two(a, b))

    assert (count, names) == (0, ["a", "b"])


def test_outputs_and_overridable_inputs_keep_their_own():
    output = model("g (float[2] x) => (float[2] z, float[2] b) <float[2] a={1,2}, float[2] b={1,2}> { z = Add(x, a) }")
    overridable = model("g (float[2] x, float[2] b) => (float[2] z) <float[2] a={1,2}, float[2] b={1,2}> "
                        "{ y = Add(x, a) z = Mul(y, b) }")  # fmt: skip

    assert merged(output)[:2] == (0, ["a", "b"])
    assert merged(overridable)[0] == 0


def test_large_tensors_in_files_are_compared_where_they_lie(tmp_path):
    content = np.arange(3 * WHOLE, dtype=np.int32)
    for other, left in ((content, ["a"]), (with_one_changed(content, content.size // 3), ["a", "b"])):
        path = tmp_path / f"{len(left)}.onnx"
        onnx.save(two(content, other), path, save_as_external_data=True, location=f"{path.name}.data", size_threshold=0)
        ir = read_model(path)
        merge_duplicate_constants(ir, Driver(ir, {}, ctx=Inference(ir)))
        assert [value.name for value in ir.graph.constants] == left


def test_constants_of_bodies_are_merged_among_themselves():
    proto = model(
        "g (bool c, float[2] x) => (float[2] z) { z = If(c) <then_branch = t () => (float[2] p) "
        "<float[2] a={1,2}, float[2] b={1,2}> { s = Add(x, a) p = Mul(s, b) }, "
        "else_branch = e () => (float[2] q) <float[2] d={1,2}> { q = Add(x, d) }> }"
    )
    count, _, result = merged(proto)

    assert count == 1 and merged(proto, bodies=False)[0] == 0
    for c in (True, False):
        feeds = {"c": np.array(c), "x": np.float32([3, 4])}
        assert_same_outputs(proto, result, feeds, rtol=0, atol=0)


def test_the_pass_can_be_skipped():
    proto = two(np.float32([1, 2]), np.float32([1, 2]))

    assert len(simplify(proto).model.graph.initializer) == 1
    kept = simplify(proto, skipped_optimizers=["eliminate_duplicate_initializer"]).model
    assert len(kept.graph.initializer) == 2


def test_a_weight_scaled_alike_for_two_layers_stays_one():
    """Two branches that share their weight and BatchNormalization: what is computed for both is stored once."""
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((16, 8, 9, 9)), "s": rng.random(16), "b": rng.random(16), "m": rng.random(16),
               "v": rng.random(16), "r": rng.standard_normal((40, 40, 9, 9))}
    proto = model(
        "g (float[1,8,12,12] x, float[1,8,12,12] y, float[1,40,9,9] k) "
        "=> (float[1,16,4,4] a, float[1,16,4,4] c, float[1,40,1,1] d) "
        "{ p = Conv(x, w) a = BatchNormalization(p, s, b, m, v) q = Conv(y, w) c = BatchNormalization(q, s, b, m, v) "
        "d = Conv(k, r) }", initializers={name: array.astype(np.float32) for name, array in weights.items()})
    result = simplify(proto).model
    assert [node.op_type for node in result.graph.node] == ["Conv"] * 3
    first, second, _ = result.graph.node
    assert first.input[1:] == second.input[1:] and len(result.graph.initializer) == 3
    assert_same_outputs(proto, result, random_feeds(proto), rtol=1e-4, atol=1e-4)
    assert simplify(result).model.SerializeToString() == result.SerializeToString()
