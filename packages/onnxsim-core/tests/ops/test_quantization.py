"""QuantizeLinear and its kin against onnxruntime."""

import pytest
from ops.judging import facts, judge

from onnxsim_core import ops
from onnxsim_core.ops.registry import KERNELS
from onnxsim_testkit import model, random_feeds

ops.load()


def check(text, opset=21):
    return judge(text, random_feeds(model(text, opset=opset), dims={"n": 3}), opset=opset, kernels=False)


@pytest.mark.parametrize(("zero", "dtype"), [("uint8", 2), ("int8", 3), ("int16", 5), ("uint16", 4)])
def test_the_zero_point_gives_the_type(zero, dtype):
    nodes = "y = QuantizeLinear(x, s, z) w = DequantizeLinear(y, s, z)"
    found = check(f"g (float[n,4] x, float s, {zero} z) => () {{ {nodes} }}")
    assert (found.shape("y"), found.values["y"].dtype) == ("[n, 4]", dtype)
    assert (found.shape("w"), found.values["w"].dtype) == ("[n, 4]", 1)


@pytest.mark.parametrize(("attributes", "dtype"), [("", 2), ("<output_dtype = 3>", 3), ("<output_dtype = 5>", 5)])
def test_without_zero_point_the_attribute_or_uint8(attributes, dtype):
    found = check(f"g (float[n,4] x, float s) => () {{ y = QuantizeLinear{attributes}(x, s) }}")
    assert found.values["y"].dtype == dtype


def test_the_scale_gives_the_type_of_what_is_dequantised():
    found = check("g (uint8[n,4] x, float16 s) => () { y = DequantizeLinear(x, s) }")
    assert (found.shape("y"), found.values["y"].dtype) == ("[n, 4]", 10)
    assert (
        facts("g (uint8[n,4] x, float s) => () { y = DequantizeLinear<output_dtype = 16>(x, s) }", opset=23)
        .values["y"]
        .dtype
        == 16
    )


def test_blocks_do_not_change_the_shape():
    node = "y = QuantizeLinear<axis = 1, block_size = 2>(x, s, z)"
    assert check(f"g (float[n,4] x, float[n,2] s, uint8[n,2] z) => () {{ {node} }}").shape("y") == "[n, 4]"


def test_dynamic_quantisation_gives_two_scalars():
    found = check("g (float[n,4] x) => () { y, s, z = DynamicQuantizeLinear(x) }")
    assert [found.shape(name) for name in "ysz"] == ["[n, 4]", "[]", "[]"]
    assert [found.values[name].dtype for name in "ysz"] == [2, 1, 2]


def test_none_of_them_has_a_kernel():
    """Folding one would turn a quantised model into a float one."""
    kernels = {op for _, op, _ in KERNELS.registered()}
    assert not kernels & {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}
