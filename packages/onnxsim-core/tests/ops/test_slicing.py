"""Slice against the judge: every corner of its bounds, and symbolic bounds on symbolic sizes."""

from itertools import product

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold

from onnxsim_core.ir import dims
from onnxsim_core.ops.slicing import INT32_MAX, INT64_MAX, as_slice, slice_range, sliced
from onnxsim_testkit.models import model

CORNERS = [
    0,
    1,
    -1,
    -2,
    4,
    5,
    6,
    -5,
    -6,
    -7,
    INT32_MAX - 1,
    INT32_MAX,
    -INT32_MAX,
    -INT32_MAX - 1,
    INT64_MAX - 1,
    INT64_MAX,
    -INT64_MAX,
    -INT64_MAX - 1,
]


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.fixture(scope="module")
def session() -> onnxruntime.InferenceSession:
    proto = model(
        "g (int64[N] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (int64[M] y) { y = Slice(x, s, e, a, t) }"
    )
    return onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_the_places_taken_are_the_judges(session: onnxruntime.InferenceSession, size: int) -> None:
    array = np.arange(size)
    for start, end, step in product(CORNERS, CORNERS, (1, 2, -1, -2, INT64_MAX, -INT64_MAX)):
        feeds = {"x": array, "s": ints(start), "e": ints(end), "a": ints(0), "t": ints(step)}
        expected = session.run(None, feeds)[0].tolist()
        places = slice_range(size, start, end, step)
        assert list(places) == expected, (size, start, end, step)
        assert array[as_slice(places)].tolist() == expected
        assert sliced(size, start, end, step) == len(expected)


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2, -3])
def test_sizes_of_slices_of_a_symbolic_axis(step: int) -> None:
    n = dims.SymbolTable().named("N")
    for start, end in product(CORNERS, CORNERS):
        found = sliced(n, start, end, step)
        assert found is not None
        for size in (0, 1, 2, 3, 5, 9):
            assert dims.evaluate(found, {"N": size}) == len(slice_range(size, start, end, step)), (
                start,
                end,
                step,
                size,
            )


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_sizes_of_slices_with_symbolic_bounds(data: st.DataObject) -> None:
    table = dims.SymbolTable()
    n, m = table.named("N"), table.named("M")
    forms = st.sampled_from(
        [n, m, n - 1, n - 2, n - 3, -1 * n, -1 * m - 1, n - m, n + m, dims.floordiv(n, 2), 0, 1, 3, -1, -2, INT64_MAX]
    )
    size = data.draw(st.sampled_from([n, m, n + m, 2 * n, n + 1, 4]))
    start, end, step = data.draw(forms), data.draw(forms), data.draw(st.sampled_from([1, 2, 3]))
    found = sliced(size, start, end, step)
    for a, b in product((0, 1, 2, 3, 7), repeat=2) if found is not None else ():
        values = {"N": a, "M": b}
        bounds = [dims.evaluate(one, values) for one in (size, start, end)]
        assert dims.evaluate(found, values) == len(slice_range(bounds[0], bounds[1], bounds[2], step)), (
            size,
            start,
            end,
            step,
        )


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("zero", "n", "[N]"),
        ("one", "n", "[max(N, 1) - 1]"),
        ("zero", "m", "[min(N, M)]"),
        ("zero", "less", "[max(N, 1) - 1]"),
        ("m", "n", "?"),
        ("zero", "far", "[N]"),
        ("minus", "far", "[min(N, 1)]"),
        ("all", "far", "[N]"),
        ("unknown", "n", "[_]"),
    ],
)
def test_bounds_made_of_sizes(start: str, end: str, expected: str) -> None:
    text = f"""g (float[N] x, float[M] z, int64[1] unknown) => (float[] y) {{
        n = Shape(x) m = Shape(z) less = Sub(n, one) all = Neg(n) y = Slice({", ".join(("x", start, end))}) }}"""
    constants = {"zero": ints(0), "one": ints(1), "minus": ints(-1), "far": ints(INT64_MAX)}
    for n, m in ((0, 2), (1, 1), (4, 2), (3, 9)):
        found = judge(text, {"x": ramp(n), "z": ramp(m), "unknown": ints(-2)}, kernels=False, **constants)
        assert expected in ("?", found.shape("y"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = Slice<starts=[1,0],ends=[3,2],axes=[0,2]>(x)", "[2, 3, min(M, 2)]"),
        ("y = Slice<starts=[0,-2],ends=[9,9]>(x)", "[4, 2, M]"),
        ("y = Slice<starts=[0],ends=[-1],axes=[-1]>(x)", "[4, 3, max(M, 1) - 1]"),
    ],
)
def test_version_1_has_attributes(text: str, expected: str) -> None:
    found = judge(f"g (float[4,3,M] x) => (float[] y) {{ {text} }}", {"x": ramp(4, 3, 5)}, opset=9)
    assert found.shape("y") == expected


@pytest.mark.parametrize("opset", [10, 11, 13])
def test_axes_and_steps_may_be_left_out(opset: int) -> None:
    constants = {"s": ints(1, 0), "e": ints(3, 2), "a": ints(2, 0), "t": ints(1, 2)}
    for call, expected in (
        ("x, s, e", "[2, 2, 5]"),
        ("x, s, e, a", "[2, 3, 2]"),
        ("x, s, e, a, t", "[1, 3, 2]"),
        ("x, s, e, , t", "[2, 1, 5]"),
    ):
        found = judge(
            f"g (float[4,3,5] x) => (float[] y) {{ y = Slice({call}) }}", {"x": ramp(4, 3, 5)}, opset=opset, **constants
        )
        assert found.shape("y") == expected


def test_int32_bounds() -> None:
    arrays = [np.array(values, np.int32) for values in ((1,), (INT32_MAX,), (0,), (2,))]
    assert_folds("Slice", [ramp(6, 2), *arrays])


def test_unknown_bounds_leave_the_other_axes() -> None:
    text = "g (float[N,3,M] x, int64[1] s) => (float[] y) { y = Slice(x, s, e, a) }"
    assert judge(text, {"x": ramp(2, 3, 4), "s": ints(1)}, e=ints(3), a=ints(1)).shape("y") == "[N, _, M]"
    assert facts("g (float[N,3] x, int64[1] s) => (float[] y) { y = Slice(x, s, s, s) }").shape("y") == "[_, _]"
    assert (
        facts("g (float[N,3] x, int64[1] s) => (float[] y) { y = Slice(x, z, e, z, s) }", z=ints(0), e=ints(1)).shape(
            "y"
        )
        == "[_, 3]"
    )


@pytest.mark.parametrize(
    ("arrays", "attributes"),
    [
        ((ints(0, 0), ints(1, 1), ints(0, 0)), {}),
        ((ints(0), ints(1), ints(2)), {}),
        ((ints(0), ints(1, 2)), {}),
        ((ints(0), ints(1), ints(0), ints(0)), {}),
    ],
)
def test_malformed_bounds_are_declined(arrays: tuple[np.ndarray, ...], attributes: dict[str, int]) -> None:
    assert fold("Slice", [ramp(2, 3), *arrays], **attributes) is None


@pytest.mark.parametrize(
    ("start", "end", "step", "expected"),
    [
        (0, 1, 1, "[N]"),
        (1, INT64_MAX, 1, "[3, M]"),
        (-1, INT64_MAX, 1, "[M]"),
        (-1, -INT64_MAX, -1, "[M, 3, N]"),
        (0, INT32_MAX, 2, "[N, M]"),
        (3, 9, 1, "[]"),
    ],
)
def test_tracked_elements_are_cut(start: int, end: int, step: int, expected: str) -> None:
    text = "g (float[N,3,M] x) => (int64[] y) { h = Shape(x) y = Slice(h, s, e, a, t) }"
    found = judge(text, {"x": ramp(2, 3, 4)}, s=ints(start), e=ints(end), a=ints(0), t=ints(step))
    assert found.data("y") == expected


def test_the_order_of_pads_is_turned_round() -> None:
    """The idiom of an exporter: pads in pairs per axis, last axis first, become begins and ends in order."""
    text = """g (int64[4] unused, float[N,M] x) => (float[] z) {
        p = Concat<axis=0>(given, fill) q = Reshape(p, two) r = Slice(q, last, first, zero, back)
        t = Transpose<perm=[1,0]>(r) f = Reshape(t, flat) z = Pad(x, f) }"""
    constants = {
        "given": ints(1, 2),
        "fill": ints(0, 0),
        "two": ints(-1, 2),
        "last": ints(-1),
        "first": ints(-INT64_MAX),
        "zero": ints(0),
        "back": ints(-1),
        "flat": ints(-1),
    }
    found = judge(text, {"x": ramp(2, 3), "unused": ints(0, 0, 0, 0)}, **constants)
    assert found.data("f") == "[0, 1, 0, 2]" and found.shape("z") == "[N, M + 3]"
