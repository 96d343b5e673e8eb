"""Reshape against the judge, with targets that copy, infer and name sizes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir import dims
from onnxsim_core.ir.graph import Model
from onnxsim_core.ops.reshape import reshaped


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


SIZES = [{"N": n, "M": m} for n, m in ((2, 4), (1, 1), (3, 2))]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ((0, -1), "[N, 3*M]"),
        ((-1,), "[3*N*M]"),
        ((0, 0, 0), "[N, 3, M]"),
        ((-1, 3), "[N*M, 3]"),
        ((0, 3, -1), "[N, 3, M]"),
        ((1, 0, -1), "[1, 3, N*M]"),
        ((-1, 1, 1, 3, 1), "[N*M, 1, 1, 3, 1]"),
        ((3, -1), "[3, N*M]"),
    ],
)
def test_zeros_copy_and_minus_one_takes_what_is_left(target: tuple[int, ...], expected: str) -> None:
    for sizes in SIZES:
        found = judge(
            "g (float[N,3,M] x) => (float[] y) { y = Reshape(x, s) }",
            {"x": ramp(sizes["N"], 3, sizes["M"])},
            s=ints(*target),
        )
        assert found.shape("y") == expected


def test_a_zero_size_next_to_minus_one() -> None:
    for n in (0, 2):
        found = judge("g (float[N,3] x) => (float[] y) { y = Reshape(x, s) }", {"x": ramp(n, 3)}, s=ints(-1, 3))
        assert found.shape("y") == "[N, 3]"


def test_minus_one_over_a_size_that_is_not_known_to_divide_is_a_floor() -> None:
    text = "g (float[N,4] x) => (float[] y) { y = Reshape(x, s) }"
    for n in (3, 6):
        assert judge(text, {"x": ramp(n, 4)}, s=ints(3, -1)).shape("y") == "[3, N + floor(N/3)]"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("n, three", "[N, 3, M]"),
        ("three, minus", "[3, N*M]"),
        ("n, m, three", "[N, M, 3]"),
        ("nm, minus", "[N*M, 3]"),
        ("minus, m", "[3*N, M]"),
        ("zero, minus, m", "[N, 3, M]"),
    ],
)
def test_sizes_of_the_input_in_the_target(parts: str, expected: str) -> None:
    if parts == "n, three":
        parts = "n, three, m"
    text = f"""g (float[N,3,M] x) => (float[] y) {{
        h = Shape(x) n = Gather(h, zero) m = Gather(h, two) nm = Mul(n, m)
        t = Concat<axis=0>({parts}) y = Reshape(x, t) }}"""
    constants = {"zero": ints(0), "two": ints(2), "three": ints(3), "minus": ints(-1)}
    for sizes in SIZES:
        found = judge(text, {"x": ramp(sizes["N"], 3, sizes["M"])}, kernels=False, **constants)
        assert found.shape("y") == expected


def test_an_attention_chain_finds_its_way_back() -> None:
    text = """g (float[B,S,768] x) => (float[] z) {
        h = Shape(x) b = Gather(h, zero) s = Gather(h, one) t = Concat<axis=0>(b, s, heads, minus) y = Reshape(x, t)
        w = Transpose<perm=[0,2,1,3]>(y) v = Transpose<perm=[0,2,1,3]>(w)
        u = Concat<axis=0>(b, s, minus) z = Reshape(v, u) }"""
    found = judge(text, {"x": ramp(2, 3, 768)}, zero=ints(0), one=ints(1), heads=ints(12), minus=ints(-1))
    assert found.shape("w") == "[B, 12, S, 64]" and found.shape("z") == "[B, S, 768]"


def test_an_element_of_unknown_sign_may_be_the_minus_one() -> None:
    text = "g (float[N,6] x, int64[1] k) => (float[] y) { t = Concat<axis=0>(k, three) y = Reshape(x, t) }"
    for k in (-1, 4):
        assert judge(text, {"x": ramp(2, 6), "k": ints(k)}, three=ints(3)).shape("y") == "[2*N, 3]"


def test_an_unknown_element_next_to_minus_one_may_copy() -> None:
    text = "g (float[2,6] x, int64[1] k) => (float[] y) { t = Concat<axis=0>(k, minus) y = Reshape(x, t) }"
    for k in (0, 4):
        assert judge(text, {"x": ramp(2, 6), "k": ints(k)}, minus=ints(-1)).shape("y") == "[_, _]"


def test_two_unknown_elements_leave_the_known_sizes() -> None:
    text = "g (float[2,6] x, int64[2] k) => (float[] y) { t = Concat<axis=0>(k, three) y = Reshape(x, t) }"
    for k in ((-1, 4), (2, 2), (0, 2), (1, 4)):
        found = judge(text, {"x": ramp(2, 6), "k": ints(*k)}, three=ints(3), kernels=False) if k[0] != 0 else None
        assert found is None or found.shape("y") == "[_, _, 3]"


def test_a_quotient_that_may_be_zero_does_not_stand_for_itself() -> None:
    """Where M is 1 both elements are 0 and copy: the model runs, and its result is not empty."""
    text = """g (float[N,3,M] x) => (float[] y) {
        h = Shape(x) q = Div(h, three) t = Gather(q, last) y = Reshape(x, t) }"""
    constants = {"three": ints(3), "last": ints(-1, -1)}
    found = judge(text, {"x": ramp(1, 3, 1)}, kernels=False, **constants)
    assert found.data("t") == "[floor(M/3), floor(M/3)]" and found.shape("y") == "[_, _]"


def test_a_quotient_that_cannot_be_zero_stands_for_itself() -> None:
    text = """g (float[N,M] x) => (float[] y) {
        h = Shape(x) m = Gather(h, one) p = Add(m, seven) q = Div(p, eight)
        t = Concat<axis=0>(q, minus) y = Reshape(x, t) }"""
    constants = {"one": ints(1), "seven": ints(7), "eight": ints(8), "minus": ints(-1)}
    found = judge(text, {"x": ramp(2, 9)}, kernels=False, **constants)
    assert found.shape("y") == "[floor((M + 7)/8), _]"


def test_an_unknown_target_gives_its_length_as_rank() -> None:
    assert facts("g (float[N] x, int64[3] s) => (float[] y) { y = Reshape(x, s) }").shape("y") == "[_, _, _]"
    assert facts("g (float[N] x, int64[K] s) => (float[] y) { y = Reshape(x, s) }").shape("y") == "?"


def test_an_input_of_unknown_rank_gives_the_sizes_written() -> None:
    text = "g (float[] x) => (float[] y) { y = Reshape(x, s) }"
    assert judge(text, {"x": ramp(2, 6)}, s=ints(0, 3, -1)).shape("y") == "[_, 3, _]"


@pytest.mark.parametrize("shape,target", [((3, 0), (0, 3)), ((0, 3), (3, 0)), ((2, 3), (3, 2)), ((2, 0, 3), (0, 5))])
def test_allowzero_takes_zeros_as_written(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    text = "g (float[] x) => (float[] y) { y = Reshape<allowzero=1>(x, s) }"
    judge(text, {"x": ramp(*shape)}, s=ints(*target))
    assert_folds("Reshape", [ramp(*shape), ints(*target)], allowzero=1)


def test_the_attribute_of_version_1() -> None:
    assert (
        facts("g (float[N,4] x) => (float[] y) { y = Reshape<shape=[0,2,-1]>(x) }", opset=1).shape("y") == "[N, 2, 2]"
    )


@pytest.mark.parametrize(
    ("shape", "target"), [((2, 3), (-1, -1)), ((2, 3), (4, -1)), ((2, 3), (7,)), ((2, 3), (0, 0, 0)), ((2, 3), (-2, 3))]
)
def test_nothing_is_stated_of_targets_that_do_not_fit(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    sizes = ",".join(map(str, shape))
    assert facts(f"g (float[{sizes}] x) => (float[] y) {{ y = Reshape(x, s) }}", s=ints(*target)).shape("y") == "?"
    assert fold("Reshape", [ramp(*shape), ints(*target)]) is None


@pytest.mark.parametrize("target", [(), (1,), (1, -1)])
def test_a_scalar_takes_and_leaves_any_number_of_ones(target: tuple[int, ...]) -> None:
    assert_folds("Reshape", [ramp(), ints(*target)])
    assert_folds("Reshape", [ramp(*[1] * len(target)), ints()])


def test_tracked_elements_stay_in_order() -> None:
    text = "g (float[N,M] x) => (int64[] t) { h = Shape(x) c = Concat<axis=0>(h, h) t = Reshape(c, s) }"
    found = judge(text, {"x": ramp(2, 3)}, s=ints(2, -1))
    assert found.shape("t") == "[2, 2]" and found.data("t") == "[N, M, N, M]"


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_is_stated_of_symbolic_shapes_holds_for_numbers(data: st.DataObject) -> None:
    """A target of copies, numbers, products of input sizes and one -1, evaluated at sizes from 1 to 3."""
    table = dims.SymbolTable()
    names = {name: table.named(name) for name in "NMK"}
    atoms = [*names.values(), 2, 3]
    shape = tuple(data.draw(st.lists(st.sampled_from(atoms), min_size=1, max_size=4)))
    groups = data.draw(st.permutations(shape))
    cut = data.draw(st.integers(0, len(groups)))
    target = [dims.product(groups[:cut]), *groups[cut:]]
    target[data.draw(st.integers(0, len(target) - 1))] = -1
    target = [
        0 if axis < len(shape) and size == shape[axis] and data.draw(st.booleans()) else size
        for axis, size in enumerate(target)
    ]
    ctx = Inference(Model(None, table))
    found = reshaped(shape, tuple(target), False, ctx)
    assert found is not None
    for n, m, k in product((1, 2, 3), repeat=3):
        values = {"N": n, "M": m, "K": k}
        array = np.empty([dims.evaluate(size, values) for size in shape])
        numbers = [dims.evaluate(size, values) for size in target]
        expected = array.reshape([array.shape[axis] if size == 0 else size for axis, size in enumerate(numbers)]).shape
        assert tuple(dims.evaluate(size, values) for size in found) == expected
