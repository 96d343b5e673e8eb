"""eliminate_nop_softmax: one element alone; before opset 13 all axes behind count."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes import catalog
from onnxsim_core.passes.eliminate_nop_softmax import constant_of_one_element


@pytest.mark.parametrize(("op", "number", "opset"), [("Softmax", 1, 17), ("LogSoftmax", 0, 17), ("Softmax", 1, 11)])
def test_one_element_is_certain(op, number, opset):
    assert_rewrites(
        constant_of_one_element,
        f"g (float[2,1] x) => (float[2,1] z) {{ y = {op}<axis=1>(x) z = Add(x, y) }}",
        f"g (float[2,1] x) => (float[2,1] z) <float[2,1] c={{{number},{number}}}> {{ z = Add(x, c) }}",
        opset=opset,
    )


@pytest.mark.parametrize(
    ("opset", "before", "reason"),
    [
        (17, "g (float[n,1] x) => (float[n,1] z) { z = Softmax(x) }", "the sizes are not known"),
        (17, "g (float[1,2] x) => (float[1,2] z) { z = Softmax(x) }", "it runs over more than one element"),
        (11, "g (float[2,1,3] x) => (float[2,1,3] z) { z = Softmax<axis=1>(x) }", "it runs over more than one element"),
        (17, "g (float[65536,1] x) => (float[65536,1] z) { z = Softmax(x) }", "the constant would make the model grow"),
    ],
)
def test_declines(opset, before, reason):
    assert_skips(constant_of_one_element, before, reason, opset=opset)


def test_it_is_off_because_of_nan():
    catalog.load()
    assert not catalog.CATALOG["eliminate_nop_softmax"].default
