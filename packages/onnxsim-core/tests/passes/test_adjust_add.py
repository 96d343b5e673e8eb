"""adjust_add: the constant comes second."""

import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes import catalog
from onnxsim_core.passes.adjust_add import constant_second


def test_the_constant_comes_second():
    head = "g (float[n,3] x) => (float[n,3] z)"
    assert_rewrites(
        constant_second, given(head + "{ z = Add(c, x) }", c=drawn(3)), given(head + "{ z = Add(x, c) }", c=drawn(3))
    )


def test_it_is_off_by_default():
    assert not catalog.CATALOG["adjust_add"].default


@pytest.mark.parametrize("body", ["Add(x, c)", "Add(x, x)"])
def test_skips(body):
    text = given(f"g (float[n,3] x) => (float[n,3] z) {{ z = {body} }}", c=drawn(3))
    assert_skips(constant_second, text, "no constant comes first")
