"""fuse_lp_normalization: off by default, because a norm of 0 gives NaN before and 0 after."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes import catalog
from onnxsim_core.passes.fuse_lp_normalization import lp_normalization

HEAD = "g (float[n,3,4] x) => (float[n,3,4] z)"


@pytest.mark.parametrize(("norm", "p"), [("ReduceL2", 2), ("ReduceL1", 1)])
def test_norms(norm, p):
    assert_rewrites(
        lp_normalization,
        f"{HEAD} {{ n = {norm}<axes=[-1]>(x) z = Div(x, n) }}",
        f"{HEAD} {{ z = LpNormalization<axis=2, p={p}>(x) }}",
        rtol=1e-5,
        atol=1e-6,
    )


def test_it_is_off_by_default():
    assert not catalog.CATALOG["fuse_lp_normalization"].default


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("the divisor is not a norm of the dividend", "z = Div(x, x)"),
        ("the divisor is not a norm of the dividend", "y = Neg(x) n = ReduceL2<axes=[-1]>(y) z = Div(x, n)"),
        ("the norm has other readers", "n = ReduceL2<axes=[-1]>(x) d = Div(x, n) z = Add(d, n)"),
        ("the norm is not along one axis that is kept", "n = ReduceL2<axes=[1,2]>(x) z = Div(x, n)"),
        ("the norm is not along one axis that is kept", "n = ReduceL2(x) z = Div(x, n)"),
    ],
)
def test_skips(reason, body):
    assert_skips(lp_normalization, f"{HEAD} {{ {body} }}", reason)


def test_skips_dropped_axes():
    assert_skips(
        lp_normalization,
        "g (float[4,4] x) => (float[4,4] z) { n = ReduceL2<axes=[1], keepdims=0>(x) z = Div(x, n) }",
        "the norm is not along one axis that is kept",
    )


def test_skips_float16():
    assert_skips(
        lp_normalization,
        f"{HEAD} {{ n = ReduceL2<axes=[-1]>(x) z = Div(x, n) }}".replace("float", "float16"),
        "the runtime's LpNormalization does not take this type",
    )
