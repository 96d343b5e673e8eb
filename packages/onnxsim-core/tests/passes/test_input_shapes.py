"""overwrite_input_shapes: sizes of inputs, everywhere the same symbol stands, and every contradiction is an error."""

import numpy as np
import pytest

from onnxsim_core import OptionError, simplify
from onnxsim_core.passes.input_shapes import resolve_names
from onnxsim_testkit import assert_same_outputs, model

ADD = "g (float[n,3] x, float[n,m] y) => (float[n,3] a, float[n,m] b) { a = Relu(x) b = Neg(y) }"


def declared(proto, shapes):
    graph = simplify(proto, overwrite_input_shapes=shapes).model.graph
    return {
        info.name: [
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in info.type.tensor_type.shape.dim
        ]
        for info in (*graph.input, *graph.output)
    }


def test_a_symbol_becomes_a_number_in_every_input_and_output():
    assert declared(model(ADD), {"x": [2, 3]}) == {"x": [2, 3], "y": [2, "m"], "a": [2, 3], "b": [2, "m"]}


@pytest.mark.parametrize("free", [0, -1, None])
def test_a_size_that_is_not_positive_leaves_the_dimension_alone(free):
    assert declared(model(ADD), {"y": [free, 5]}) == {"x": ["n", 3], "y": ["n", 5], "a": ["n", 3], "b": ["n", 5]}


def test_outputs_of_computed_size_get_their_numbers():
    proto = model("g (float[n,m] x) => (float[k] z) <int64[1] s={-1}> { y = Concat<axis=0>(x, x) z = Reshape(y, s) }")
    result = simplify(proto, overwrite_input_shapes={"x": [2, 3]}).model

    assert declared(proto, {"x": [2, 3]}) == {"x": [2, 3], "z": [12]}
    assert_same_outputs(proto, result, {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}, rtol=0, atol=0)


def test_the_model_given_is_not_changed():
    proto = model(ADD)
    before = proto.SerializeToString()
    simplify(proto, overwrite_input_shapes={"x": [2, 3]})

    assert proto.SerializeToString() == before


def test_an_input_of_unknown_rank_takes_the_whole_shape():
    proto = model("g (float[1] x) => (float[1] z) { z = Relu(x) }")
    for info in (proto.graph.input[0], proto.graph.output[0]):
        info.type.tensor_type.ClearField("shape")

    assert declared(proto, {"x": [2, 3]}) == {"x": [2, 3], "z": [2, 3]}
    with pytest.raises(OptionError, match="input 'x' has no known rank: give all its sizes"):
        declared(proto, {"x": [2, -1]})


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"w": [2]}, r"no input called 'w' \(its inputs are x, y\)"),
        ({"x": [2]}, "input 'x' has 2 dimensions, the given shape 1"),
        ({"x": [2, 3, 1]}, "input 'x' has 2 dimensions, the given shape 3"),
        ({"x": [2, 5]}, "dimension 1 of input 'x' is fixed to 3 in the model, not 5"),
        ({"x": [2, 3], "y": [4, 1]}, "size n would be both 2 and 4 .dimension 0 of input 'y'"),
    ],
)
def test_contradictions_are_errors(shapes, message):
    with pytest.raises(OptionError, match=message):
        declared(model(ADD), shapes)


def test_agreeing_numbers_for_one_symbol_are_fine():
    assert declared(model(ADD), {"x": [2, 3], "y": [2, 4]})["b"] == [2, 4]


def test_a_shape_without_a_name_is_that_of_the_only_input():
    assert resolve_names({None: [2, 0, 3]}, ["x"]) == {"x": (2, None, 3)}
    with pytest.raises(OptionError, match="needs a model with one input"):
        resolve_names({None: [2]}, ["x", "y"])
