"""fuse_consecutive_casts: a Cast of a Cast."""

import numpy as np
import pytest
from onnx import helper
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.ir import dtypes as t
from onnxsim_core.passes.fuse_consecutive_casts import compose_casts, goes_directly, is_lossless
from onnxsim_testkit import run


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_casts,
            "g (float16[n] x) => (double[n] z) { a = Cast<to=1>(x) z = Cast<to=11>(a) }",
            "g (float16[n] x) => (double[n] z) { z = Cast<to=11>(x) }",
            {},
        ),
        (
            compose_casts,
            "g (float[n] x) => (float[n] z) { a = Cast<to=11>(x) b = Cast<to=1>(a) z = Neg(b) }",
            "g (float[n] x) => (float[n] z) { z = Neg(x) }",
            {},
        ),
        (
            compose_casts,
            "g (int32[n] x) => (float[n] z) { a = Cast<to=7>(x) z = Cast<to=1>(a) }",
            "g (int32[n] x) => (float[n] z) { z = Cast<to=1>(x) }",
            {},
        ),
        (
            compose_casts,
            "g (bool[n] x) => (bool[n] z) { a = Cast<to=1>(x) b = Cast<to=9>(a) z = Not(b) }",
            "g (bool[n] x) => (bool[n] z) { z = Not(x) }",
            {},
        ),
        (
            compose_casts,
            "g (int8[n] x) => (int64[n] z) { a = Cast<to=1>(x) z = Cast<to=7>(a) }",
            "g (int8[n] x) => (int64[n] z) { z = Cast<to=7>(x) }",
            {},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            compose_casts,
            "g (float[n] x) => (float[n] z) { a = Cast<to=10>(x) z = Cast<to=1>(a) }",
            "the first Cast may lose something the second one would not",
            {},
        ),
        (
            compose_casts,
            "g (float[n] x) => (float[n] z) { a = Cast<to=7>(x) z = Cast<to=1>(a) }",
            "the first Cast may lose something the second one would not",
            {},
        ),
        (
            compose_casts,
            "g (float[n] x) => (int32[n] z) { a = Cast<to=11>(x) z = Cast<to=6>(a) }",
            "the first Cast may lose something the second one would not",
            {},
        ),
        (
            compose_casts,
            "g (uint8[n] x) => (int8[n] z) { a = Cast<to=1>(x) z = Cast<to=3>(a) }",
            "the first Cast may lose something the second one would not",
            {},
        ),
        (
            compose_casts,
            "g (float[n] x) => (int64[n] z) { a = Floor(x) z = Cast<to=7>(a) }",
            "input is not made by a Cast",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


INTEGERS = {t.BOOL: np.bool_, t.UINT8: np.uint8, t.INT8: np.int8, t.UINT16: np.uint16, t.INT16: np.int16,
            t.UINT32: np.uint32, t.INT32: np.int32, t.UINT64: np.uint64, t.INT64: np.int64}
FLOATS = {t.FLOAT16: np.float16, t.FLOAT: np.float32, t.DOUBLE: np.float64}


def extremes(code):
    if code in FLOATS:
        info = np.finfo(FLOATS[code])
        numbers = [0, -0.0, 1, -1, 0.1, info.max, info.min, info.tiny, info.smallest_subnormal, np.inf, -np.inf, np.nan]
        return np.array(numbers, FLOATS[code])
    if code == t.BOOL:
        return np.array([False, True])
    info = np.iinfo(INTEGERS[code])
    return np.array([info.min, info.max, 0, 1, 100, info.max // 2 + 1, info.max // 3], INTEGERS[code])


@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("middle", [*INTEGERS, *FLOATS])
def test_the_extremes_of_every_type_agree_on_both_ways(source, middle):
    """onnxruntime is asked about every pair of Casts the rule would join."""
    targets = [code for code in (*INTEGERS, *FLOATS) if goes_directly(source, middle, code)]
    if not targets:
        assert not is_lossless(source, middle)
        return
    nodes = [helper.make_node("Cast", ["x"], ["m"], to=middle)]
    for code in targets:
        nodes.append(helper.make_node("Cast", ["m"], [f"long{code}"], to=code))
        nodes.append(helper.make_node("Cast", ["x"], [f"short{code}"], to=code))
    named = [(f"{way}{code}", code) for code in targets for way in ("long", "short")]
    outputs = [helper.make_tensor_value_info(name, code, ["n"]) for name, code in named]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", source, ["n"])], outputs)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    found = run(proto, {"x": extremes(source)})
    for code in targets:
        assert found[f"long{code}"].tobytes() == found[f"short{code}"].tobytes(), code
