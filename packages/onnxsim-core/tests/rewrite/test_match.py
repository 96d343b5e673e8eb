"""Questions about nodes, asked of small graphs."""

import numpy as np
import pytest

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir import dims, dtypes
from onnxsim_core.ir.files import File
from onnxsim_core.ir.graph import Model, Value
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import SpanTensor
from onnxsim_core.ops import load
from onnxsim_core.passes.prepare import drop_default_inputs
from onnxsim_core.rewrite.match import (
    axes_of,
    axis_of,
    constant_array,
    either,
    is_filled_with,
    is_static,
    made_by,
    permutation,
    raw_axes,
    same_shape,
    same_sizes,
    shape_range,
    slice_parameters,
    squeeze_pair,
)
from onnxsim_testkit import model

n, m = dims.symbol("n"), dims.symbol("m")


def last(body, opset=17, declared="float[2,1,3,n] x, int64[1] free", **constants):
    """The last node of a graph, inferred, with the inference."""
    load()
    text = f"g ({declared}) => (float[] z) {{ {body} }}"
    proto = model(text, opset=opset, initializers=constants, domains={"acme": 1})
    ir = read_model(proto.SerializeToString())
    drop_default_inputs(ir.graph)
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    return ir.graph.last, ctx


def test_shapes():
    assert same_sizes((n, 2), (n, 2))
    assert same_sizes((n + m,), (m + n,))
    assert not same_sizes((n,), (m,))
    assert not same_sizes((n,), (n, 1))
    assert is_static((2, 3)) and is_static(())
    assert not is_static((n,)) and not is_static(None)


def test_same_shape_needs_both_shapes():
    node, _ = last("a = acme.Make(x) z = Add(x, a)")
    assert not same_shape(*node.inputs)
    node, _ = last("a = Neg(x) z = Add(x, a)")
    assert same_shape(*node.inputs)


@pytest.mark.parametrize(
    ("body", "perm"),
    [
        ("z = Transpose<perm=[3,0,1,2]>(x)", (3, 0, 1, 2)),
        ("z = Transpose(x)", (3, 2, 1, 0)),
        ("z = Transpose<perm=[0,0,1,2]>(x)", None),
        ("z = Transpose<perm=[1,0]>(x)", None),
        ("a = acme.Make(x) z = Transpose(a)", None),
        ("a = acme.Make(x) z = Transpose<perm=[1,0]>(a)", (1, 0)),
    ],
)
def test_permutation(body, perm):
    assert permutation(last(body)[0]) == perm


@pytest.mark.parametrize(
    ("body", "opset", "raw", "axes"),
    [
        ("z = ReduceMean<axes=[-1,0]>(x)", 17, (-1, 0), (0, 3)),
        ("z = ReduceMean(x, a)", 18, (-1, 0), (0, 3)),
        ("z = ReduceMean(x)", 18, None, None),
        ("z = ReduceMean(x, free)", 18, False, None),
        ("z = ReduceMean<axes=[4]>(x)", 17, (4,), None),
        ("z = ReduceMean<axes=[0,-4]>(x)", 17, (0, -4), None),
    ],
)
def test_axes(body, opset, raw, axes):
    node, ctx = last(body, opset, a=np.array([-1, 0]))
    assert raw_axes(node, ctx) == raw
    assert axes_of(node, ctx, 4) == axes


def test_axis():
    assert axis_of(last("z = Softmax<axis=-2>(x)")[0], 4) == 2
    assert axis_of(last("z = Softmax(x)")[0], 4, -1) == 3
    assert axis_of(last("z = Softmax(x)")[0], 4) is None
    assert axis_of(last("z = Softmax<axis=4>(x)")[0], 4) is None


@pytest.mark.parametrize(
    ("body", "opset", "found"),
    [
        ("z = Slice(x, one, two)", 17, ((1,), (2,), (0,), (1,))),
        ("z = Slice(x, one, two, three, two)", 17, ((1,), (2,), (3,), (2,))),
        ("z = Slice(x, one, two, , two)", 17, ((1,), (2,), (0,), (2,))),
        ("z = Slice<starts=[1,0],ends=[2,9],axes=[0,3]>(x)", 9, ((1, 0), (2, 9), (0, 3), (1, 1))),
        ("z = Slice(x, free, two)", 17, None),
        ("z = Slice(x, one, free)", 17, None),
        ("z = Slice(x, one, two, free)", 17, None),
        ("z = Slice(x, one, two, three, free)", 17, None),
        ("z = Slice(x, one, two, three, zero)", 17, None),
        ("z = Slice(x, one, pair)", 17, None),
    ],
)
def test_slice_parameters(body, opset, found):
    constants = {"zero": np.array([0]), "one": np.array([1]), "two": np.array([2]), "three": np.array([3]),
                 "pair": np.array([1, 2])}
    node, ctx = last(body, opset, **constants)
    assert slice_parameters(node, ctx) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("z = Shape(x)", (0, 4)),
        ("z = Shape<start=-2>(x)", (2, 4)),
        ("z = Shape<start=1,end=-1>(x)", (1, 3)),
        ("z = Shape<start=3,end=1>(x)", (3, 3)),
        ("z = Shape<end=9>(x)", (0, 4)),
        ("a = acme.Make(x) z = Shape(a)", None),
    ],
)
def test_shape_range(body, found):
    assert shape_range(last(body)[0]) == found


def test_a_pair_of_squeeze_and_unsqueeze():
    node, ctx = last("a = Squeeze(x, one) z = Unsqueeze(a, last)", one=np.array([1]), last=np.array([-1]))
    x, inside, outside, rank = squeeze_pair(node, ctx, "Squeeze")
    assert (x.name, inside, outside, rank) == ("x", (1,), (3,), 4)
    assert squeeze_pair(node, ctx, "Unsqueeze") is None
    node, ctx = last("a = Squeeze(x) z = Unsqueeze(a, last)", last=np.array([-1]))
    assert squeeze_pair(node, ctx, "Squeeze") is None


def test_constants():
    node, _ = last("z = Add(x, c)", c=np.float32([2, 2]))
    assert constant_array(node.inputs[1]).tolist() == [2, 2]
    assert constant_array(node.inputs[0]) is None
    assert constant_array(None) is None
    assert is_filled_with(node.inputs[1], 2)
    assert not is_filled_with(node.inputs[1], 1)
    assert not is_filled_with(node.inputs[0], 2)
    node, _ = last("z = Add(x, c)", c=np.float32([2, 3]))
    assert not is_filled_with(node.inputs[1], 2)
    node, _ = last("z = Add(x, c)", c=np.zeros(0, np.float32))
    assert not is_filled_with(node.inputs[1], 0)


def test_neighbours():
    node, _ = last("a = Neg(x) b = Abs(x) z = Sub(a, b)")
    assert made_by(node.inputs[0], "Neg") is node.inputs[0].node
    assert made_by(node.inputs[0], "Abs") is None
    assert made_by(None, "Abs") is None
    assert either(node, "Abs") == (node.inputs[1].node, node.inputs[0])
    assert either(node, "Neg") == (node.inputs[0].node, node.inputs[1])
    assert either(node, "Exp") is None
    assert either(node.inputs[0].node, "Exp") is None
    node, _ = last("a = acme.Neg(x) z = Abs(a)")
    assert made_by(node.inputs[0], "Neg") is None


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8])
@pytest.mark.parametrize(("place", "filled"), [(None, True), (0, False), (35_000, False), (69_999, False)])
def test_a_large_constant_is_filled_when_every_element_is(tmp_path, dtype, place, filled):
    weight = np.ones(70_000, dtype)
    if place is not None:
        weight[place] = 2
    (tmp_path / "w").write_bytes(weight.tobytes())
    value = Value("w", Model(None, dims.SymbolTable()).graph)
    value.tensor = SpanTensor(dtypes.from_numpy(weight.dtype), weight.shape, File(tmp_path / "w"))
    assert is_filled_with(value, 1) is filled
    assert not is_filled_with(value, 3)


@pytest.mark.parametrize(("marks", "filled"), [([], True), ([(5 << 20) + 2], False), ([(64 << 20) - 1], False)])
def test_holes_of_a_file_are_zeros(tmp_path, marks, filled):
    offset, size = 6, 64 << 20
    with open(tmp_path / "w", "wb") as file:
        for mark in marks:
            file.seek(offset + mark)
            file.write(b"\1")
        file.truncate(offset + size + 10)
    value = Value("w", Model(None, dims.SymbolTable()).graph)
    value.tensor = SpanTensor(dtypes.FLOAT, (size // 4,), File(tmp_path / "w"), offset)
    assert is_filled_with(value, 0) is filled
    assert not is_filled_with(value, 1)
