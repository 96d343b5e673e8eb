"""Operators written out by the function in their schema."""

import pytest
from opsets import assert_refused, converted

from onnxsim_testkit import assert_same_outputs, model, random_feeds


@pytest.mark.parametrize(("source", "target", "text"), [
    (20, 13, "g (float[2,3] x) => (float[2,3] y) { y = Gelu(x) }"),
    (20, 9, "g (float[2,3] x) => (float[2,3] y) { y = Gelu<approximate=\"tanh\">(x) }"),
    (14, 11, "g (float[2,3] x) => (float[2,3] y) { y = HardSwish(x) }"),
    (18, 13, "g (float[2,3] x) => (float[2,3] y) { y = Mish(x) }"),
    (12, 11, "g (float[2,3] x) => (float[2,3] y) { y = Celu<alpha=2.0>(x) }"),
    (12, 11, "g (float[2,3] x, float[3] z) => (bool[2,3] y) { y = GreaterOrEqual(x, z) }"),
    (23, 18, "g (float[2,3] x, float[3] s) => (float[2,3] y) { y = RMSNormalization(x, s) }"),
    (21, 17, "g (float[1,4,3] x, float[4] s) => (float[1,4,3] y) { y = GroupNormalization<num_groups=2>(x, s, s) }"),
    (17, 13, "g (float16[2,3] x, float16[3] s) => (float16[2,3] y) { y = LayerNormalization(x, s) }"),
    (12, 8, "g (float[2,3] x) => (float[2,3] y) { y = MeanVarianceNormalization<axes=[0]>(x) }"),
    (18, 13, "g (float[2,3] x) => (float[2,1] y) { a = Constant<value_ints=[1]>() y = ReduceLogSumExp(x, a) }"),
    (23, 17, "g (float[1,2,3,4] q, float[1,2,5,4] k) => (float[1,2,3,4] y) { y = Attention(q, k, k) }"),
])
def test_definitions(source, target, text):
    original = model(text, opset=source)
    op_type = original.graph.node[-1].op_type

    result = converted(original, source, target)

    assert op_type not in {node.op_type for node in result.graph.node} or op_type == "ReduceLogSumExp"
    assert_same_outputs(original, result, random_feeds(original), rtol=2e-3 if "16" in text else 1e-5, atol=1e-3)


def test_statistics_that_are_read():
    text = "g (float[2,3] x, float[3] s) => (float[2,3] y, float[2,1] m) { y, m = LayerNormalization(x, s) }"
    original = model(text, opset=17)
    assert_same_outputs(original, converted(original, 17, 13), random_feeds(original), rtol=1e-5, atol=1e-6)


def test_an_attribute_left_out_has_the_default_of_the_schema():
    original = model("g (float[2,3] x) => (float[2,3] y) { y = ThresholdedRelu(x) }", opset=10)
    result = converted(original, 10, 9)
    assert_same_outputs(original, result, {"x": random_feeds(original)["x"] + 1}, rtol=0, atol=0)


def test_refuses_a_definition_that_needs_types():
    assert_refused("g (float[2,3] x) => (float[2,3] y) { t = Foo(x) y = Gelu(t) }",
                   "the operator is new in opset 20, and nothing defines it by older ones", source=20, target=19)
