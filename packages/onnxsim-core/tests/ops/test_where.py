"""Where against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, compute, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("c", "x", "y", "expected"),
    [("N,1", "3", "", "[N, 3]"), ("N", "N", "N", "[N]"), ("", "N,3", "1,3", "[N, 3]"), ("1", "1", "1", "[1]")],
)
def test_all_three_broadcast(c: str, x: str, y: str, expected: str) -> None:
    for n in (0, 1, 2):

        def feed(dims: str, dtype: type, n: int = n) -> np.ndarray:
            return ramp(*[n if size == "N" else int(size) for size in dims.split(",") if size], dtype=dtype)

        spell = [f"[{dims}]" if dims else "" for dims in (c, x, y)]
        text = f"g (bool{spell[0]} c, float{spell[1]} x, float{spell[2]} y) => (float[] z) {{ z = Where(c, x, y) }}"
        found = judge(text, {"c": feed(c, bool), "x": feed(x, np.float32), "y": feed(y, np.float32)})
        assert found.shape("z") == expected


def test_nothing_but_the_type_is_stated_of_unknown_or_clashing_shapes() -> None:
    found = facts("g (bool[] c, float[2] x, float[2] y) => (float[] z) { z = Where(c, x, y) }")
    assert found.shape("z") == "?" and found.values["z"].dtype == 1
    assert facts("g (bool[2] c, float[2] x, float[3] y) => (float[] z) { z = Where(c, x, y) }").shape("z") == "?"


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int32, np.uint8, np.float64])
def test_where_folds(dtype: type) -> None:
    assert_folds("Where", [np.array([[True], [False]]), ramp(3, dtype=dtype), ramp(1, 3, dtype=dtype)])
    assert_folds("Where", [np.array(False), np.array(1, dtype), np.array(0, dtype)])


def test_special_floats_pass_unchanged() -> None:
    special = np.array([np.nan, np.inf, 1e-45, 0.0], np.float32)
    assert_folds("Where", [np.array([True, True, False, True]), special, np.float32([1, 2, np.nan, 4])])


def test_a_negative_zero_is_left_to_the_runtime_whose_sign_depends_on_the_layout() -> None:
    zeros, ones, pick = np.array([-0.0, -0.0], np.float32), np.ones(2, np.float32), np.array([True, True])
    assert not np.signbit(compute("Where", [pick, zeros, ones])[0]).any()
    assert np.signbit(compute("Where", [pick[:1], zeros, np.array(1, np.float32)])[0]).all()
    assert fold("Where", [pick, zeros, ones]) is None
    assert fold("Where", [~pick, zeros, ones]) is not None


def test_where_declines_what_does_not_fit() -> None:
    assert fold("Where", [np.array([True, False]), ramp(2), ramp(3)]) is None
    assert fold("Where", [np.array([True, False, True]), ramp(2), ramp(2)]) is None


SHAPE = "g (float[N,M,3] x, bool[3] u) => (int64[] z) { h = Shape(x) z = Where(%s) }"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("c, h, k", "[N, 8, 3]"),
        ("c, k, h", "[7, M, 9]"),
        ("t, h, k", "[N, M, 3]"),
        ("u, h, h", "[N, M, 3]"),
        ("c, one, h", "[1, M, 1]"),
        ("u, h, k", "?"),
        ("c, r, h", "?"),
    ],
)
def test_elements_of_the_branch_taken(call: str, expected: str) -> None:
    text = SHAPE.replace("bool[3] u", "bool[3] u, int64[3] r") % call
    feeds = {"x": ramp(2, 4, 3), "u": np.array([True, False, True]), "r": ints(4, 5, 6)}
    constants = {"c": np.array([True, False, True]), "t": np.array(True), "k": ints(7, 8, 9), "one": np.array(1)}
    assert judge(text, feeds, **constants).data("z") == expected


def test_a_condition_over_symbols_decides_where_it_can() -> None:
    """The idiom of an exporter: a size where the target says -1, else the target."""
    text = """g (float[N,1] x) => (float[] y) {
        h = Shape(x) is = Equal(want, minus) t = Where(is, h, want) y = Expand(x, t) }"""
    found = judge(text, {"x": ramp(2, 1)}, kernels=False, want=ints(-1, 5), minus=ints(-1))
    assert found.data("t") == "[N, 5]" and found.shape("y") == "[N, 5]"
