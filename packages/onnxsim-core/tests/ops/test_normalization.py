"""Shapes of normalisations against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge

ONES = {f"c{n}": np.ones(n, np.float32) for n in (2, 3, 4)}


def ones(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.ones(shape, dtype)


@pytest.mark.parametrize(
    ("call", "opset"),
    [
        ("InstanceNormalization(x, c4, c4)", 21),
        ("GroupNormalization<num_groups=2>(x, c4, c4)", 21),
        ("LRN<size=3>(x)", 21),
        ("MeanVarianceNormalization(x)", 21),
        ("LpNormalization<axis=1>(x)", 21),
        ("BatchNormalization(x, c4, c4, c4, c4)", 21),
        ("BatchNormalization(x, c4, c4, c4, c4)", 9),
        ("LayerNormalization<axis=1>(x, w, w)", 21),
        ("RMSNormalization<axis=1>(x, w)", 23),
    ],
)
def test_the_shape_is_kept(call: str, opset: int) -> None:
    text = f"g (float[N,4,H,3] x) => (y) {{ y = {call} }}"
    used = {name: array for name, array in ONES.items() if f"{name}," in call or f"{name})" in call}
    for n, h in ((2, 5), (1, 1)):
        if "w" in call:
            used["w"] = ones(4, h, 3)
        assert judge(text, {"x": ones(n, 4, h, 3)}, opset=opset, kernels=False, **used).shape("y") == "[N, 4, H, 3]"


def test_batch_normalization_gives_statistics_when_it_trains() -> None:
    text = "g (float[N,4,H] x) => (y) { y, m, v = BatchNormalization<training_mode=1>(x, c4, c4, c4, c4) }"
    found = judge(text, {"x": ones(2, 4, 5)}, opset=15, kernels=False, c4=ONES["c4"])
    assert (found.shape("y"), found.shape("m"), found.shape("v")) == ("[N, 4, H]", "[4]", "[4]")
    text = "g (float[N,4,H] x) => (y) { y, m, v, s, t = BatchNormalization(x, c4, c4, c4, c4) }"
    found = judge(text, {"x": ones(2, 4, 5)}, opset=9, kernels=False, c4=ONES["c4"])
    assert found.shape("s") == found.shape("t") == "[4]"


def test_statistics_may_have_a_wider_type() -> None:
    text = "g (float16[N,4,H] x) => (y) { y, m, v = BatchNormalization<training_mode=1>(x, s, s, c4, c4) }"
    found = facts(text, opset=15, c4=ONES["c4"], s=ones(4, dtype=np.float16))
    assert (found.values["y"].dtype, found.values["m"].dtype) == (10, 1)


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (-1, "[N, H, 1]"),
        (2, "[N, H, 1]"),
        (1, "[N, 1, 1]"),
        (-2, "[N, 1, 1]"),
        (0, "[1, 1, 1]"),
    ],
)
def test_layer_normalization_gives_mean_and_inverse_deviation(axis: int, expected: str) -> None:
    for n, h in ((2, 5), (1, 3)):
        text = f"g (float[N,H,4] x) => (y) {{ y, m, v = LayerNormalization<axis={axis}>(x, w) }}"
        found = judge(text, {"x": ones(n, h, 4)}, kernels=False, w=ones(*(n, h, 4)[axis:]))
        assert (found.shape("y"), found.shape("m"), found.shape("v")) == ("[N, H, 4]", expected, expected)


@pytest.mark.parametrize("name", ["float16", "double"])
def test_layer_normalization_keeps_statistics_in_the_stash_type(name: str) -> None:
    dtype = np.float16 if name == "float16" else np.float64
    text = f"g ({name}[N,4] x) => (y) {{ y, m, v = LayerNormalization(x, w) }}"
    found = judge(text, {"x": ones(2, 4, dtype=dtype)}, kernels=False, w=ones(4, dtype=dtype))
    assert found.values["m"].dtype == found.values["v"].dtype == 1


def test_unknown_and_invalid() -> None:
    found = facts("g (float[] x) => (y) { y, m, v = LayerNormalization(x, c4) }", **{"c4": ONES["c4"]})
    assert (found.shape("y"), found.shape("m"), found.values["m"].dtype) == ("?", "?", 1)
    found = facts("g (float[N,4] x) => (y) { y, m, v = LayerNormalization<axis=7>(x, c4) }", **{"c4": ONES["c4"]})
    assert (found.shape("y"), found.shape("m")) == ("[N, 4]", "?")
    for op_type in ("LRN", "BatchNormalization", "LayerNormalization"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"
    found = facts("g (float[N,4] x) => (y) { y, m = BatchNormalization(x) }")
    assert (found.shape("y"), found.shape("m")) == ("[N, 4]", "?")
