"""fuse_softplus: off by default, because it is finite where the original is not."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import given

from onnxsim_core.passes import catalog
from onnxsim_core.passes.fuse_softplus import softplus

ONE = np.float32(1)


@pytest.mark.parametrize("total", ["Add(e, one)", "Add(one, e)"])
def test_either_order(total):
    assert_rewrites(
        softplus,
        given(f"g (float[n,8] x) => (float[n,8] z) {{ e = Exp(x) s = {total} z = Log(s) }}", one=ONE),
        "g (float[n,8] x) => (float[n,8] z) { z = Softplus(x) }",
        rtol=1e-6,
        atol=1e-6,
    )


def test_it_is_off_by_default():
    assert not catalog.CATALOG["fuse_softplus"].default


@pytest.mark.parametrize(
    "body",
    ["z = Log(x)", "e = Exp(x) s = Add(e, two) z = Log(s)", "e = Exp(x) s = Add(e, one) t = Log(s) z = Mul(t, e)"],
)
def test_skips_other_sums(body):
    assert_skips(
        softplus,
        given(f"g (float[8] x) => (float[8] z) {{ {body} }}", one=ONE, two=2 * ONE),
        "it is not the logarithm of 1 + Exp",
    )


def test_skips_a_one_that_widens_the_result():
    text = "g (float[8] x) => (float[1,8] z) { e = Exp(x) s = Add(e, one) z = Log(s) }"
    assert_skips(softplus, given(text, one=np.ones((1, 1), np.float32)), "a constant widens the result")


def test_skips_double_for_which_no_runtime_has_it():
    text = "g (double[8] x) => (double[8] z) { e = Exp(x) s = Add(e, one) z = Log(s) }"
    assert_skips(softplus, given(text, one=np.float64(1)), "Softplus runs on float and float16 only")
