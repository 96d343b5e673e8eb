"""Whole conversions: chains of steps, bodies, names, what stays, and what is said when it cannot be done."""

import numpy as np
import onnx
import pytest
from opsets import assert_converts, conversion, converted, outputs_of

from onnxsim_core.errors import OptionError, UnsupportedModelError
from onnxsim_core.ir.formal import newest
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.versions.convert import Conversion, raise_gaps, wanted_opset
from onnxsim_testkit import assert_same_outputs, model, random_feeds


def test_many_steps_up_and_down_again():
    text = """g (float[2,1,4] x) => (float[2,4] y) { a = Clip<min=-0.5>(x) b = Softmax<axis=2>(a) c = Squeeze<axes=[1]>(b)
              d = Slice<starts=[0], ends=[2]>(c) y = Dropout(d) }"""
    original = model(text, opset=7)
    up = converted(original, 7, 21)
    assert_same_outputs(original, up, random_feeds(original), rtol=1e-6, atol=0)
    down = converted(up, 21, 7)
    assert [n.op_type for n in down.graph.node] == [n.op_type for n in original.graph.node]
    assert_same_outputs(original, down, random_feeds(original), rtol=1e-6, atol=0)


def test_bodies_are_converted_with_what_they_capture():
    text = """g (bool c, float[2,1] x) => (float[2] y) { y = If (c) <
        then_branch = t () => (float[2] a) { a = Squeeze<axes=[1]>(x) },
        else_branch = e () => (float[2] b) { z = ReduceSum<axes=[1], keepdims=0>(x) b = Clip<max=0.0>(z) }> }"""
    original = model(text, opset=10)
    result = converted(original, 10, 18)
    for c in (True, False):
        feeds = {"c": np.array(c), "x": np.array([[1], [-2]], "f")}
        assert_same_outputs(original, result, feeds, rtol=0, atol=0)


def test_names_metadata_and_outputs_stay():
    original = model("g (float[2,1,3] x) => (float[2,3] y, float[2,3] z) { y = Squeeze<axes=[1]>(x) z = Relu(y) }", opset=11)
    original.graph.node[0].name = "first"
    original.graph.node[0].doc_string = "why"
    result = converted(original, 11, 13)
    assert [n.name for n in result.graph.node] == ["first", ""] and result.graph.node[0].doc_string == "why"
    assert [o.name for o in result.graph.output] == ["y", "z"]


def test_other_domains_and_unknown_operators_stay():
    text = """<ir_version: 8, opset_import: ["" : 11, "my.own" : 3]>
        g (float[2,1] x) => (float[2] y) { a = my.own.Squeeze<axes=[1]>(x) b = EfficientNMS_TRT<axes=[0]>(a)
        y = Squeeze<axes=[1]>(b) }"""
    result = converted(onnx.parser.parse_model(text), 11, 17)
    assert {entry.domain: entry.version for entry in result.opset_import} == {"": 17, "my.own": 3}
    own, unknown, squeeze = result.graph.node
    assert own.domain == "my.own" and own.attribute[0].ints == [1]
    assert unknown.op_type == "EfficientNMS_TRT" and len(squeeze.input) == 2


def test_a_value_that_becomes_an_output_twice():
    assert_converts("g (float[2] x) => (float[2] y) { y = ReduceSum<noop_with_empty_axes=1>(x) }",
                    "g (float[2] x) => (float[2] y) { y = Identity(x) }", source=13, target=11)


def test_large_weights_stay_where_they_are(tmp_path):
    array = np.arange(300_000, dtype="f").reshape(1, -1)
    path = tmp_path / "big.onnx"
    onnx.save(model("g (float[1,300000] x) => (float[300000] y) { a = Add(x, w) y = Squeeze<axes=[0]>(a) }", opset=11,
                    initializers={"w": array}), path)
    ir = read_model(path)
    before = next(v.tensor for v in ir.graph.constants if v.name == "w")
    Conversion(ir, 18).run()
    (after,) = (v.tensor for v in ir.graph.constants if v.name == "w")
    assert after is before and before.span() is not None


def test_nodes_of_several_versions():
    """Nodes that come from a function may be of another operator set than the model's."""
    proto = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13, "l" : 1]>
        g (float[2,1] x) => (float[2] y) { y = l.f(x) }
        <domain: "l", opset_import: ["" : 11]> f (x) => (y) { a = Clip(x) y = Squeeze<axes=[1]>(a) }""")
    from onnxsim_core.functions.inline import inline_calls

    ir = read_model(proto.SerializeToString())
    levels = inline_calls(ir)
    assert {node.op_type: level for node, level in levels.items()} == {"Clip": 11, "Squeeze": 11}
    done = Conversion(ir, 13, levels).run()
    assert not done.gaps
    result = model_proto(done.model)
    assert outputs_of(result, {"x": np.array([[1], [2]], "f")})["y"].tolist() == [1, 2]


def test_every_gap_is_listed_with_its_place():
    text = """g (bool c, float[2] x) => (float[2] y) { y = If (c) <then_branch = t () => (float[2] a) { a = Erf(x) },
              else_branch = e () => (float[2] b) { z = Sign(x) b = Neg(z) }> }"""
    done = conversion(text, 11, 8)
    assert done.gaps == [
        "main/If->y.then_branch/Erf->a: Erf of opset 9: the operator is new in opset 9, and nothing defines it by older "
        "ones",
        "main/If->y.else_branch/Sign->z: Sign of opset 9: the operator is new in opset 9, and nothing defines it by older "
        "ones"]
    with pytest.raises(UnsupportedModelError, match="cannot be converted from opset 11 to 8") as caught:
        raise_gaps(11, 8, done.gaps)
    assert caught.value.code == "opset" and len(caught.value.gaps) == 2


def test_an_operator_that_was_taken_back():
    done = conversion("g (float[2] x) => (float[2] y) { y = Scatter(x, x, x) }", 9, 9)
    assert not done.gaps  # nothing to do
    text = "g (float[1,4,3] x, float[2] s) => (float[1,4,3] y) { t = Foo(x) y = GroupNormalization<num_groups=2>(t, s, s) }"
    assert conversion(text, 18, 21).gaps[0].endswith("the number of channels is unknown")


def test_a_malformed_node_is_not_converted():
    (gap,) = conversion("g (float[2,1] x) => (float[2] y) { y = Unsqueeze(x) }", 11, 13).gaps
    assert gap.endswith("it has not the form that its operator asks for")


def test_an_operator_set_after_the_newest_is_left_alone():
    """Its operators may differ in ways that the installed onnx does not know of."""
    later = newest() + 1
    original = model("g (float[2] x) => (float[2] y) { y = Relu(x) }", opset=later)
    done = conversion(original, later, 18)
    assert done.gaps == [f"main: opset {later} is newer than the installed onnx, which knows them up to {newest()}"]
    assert done.count == 0 and done.model.opset() == later
    assert not conversion(original, later, later).gaps


def test_a_call_of_an_operator_set_after_the_newest():
    read = read_model(model("g (float[2] x) => (float[2] y) { y = Relu(x) }", opset=18))
    assert len(Conversion(read, 18, {read.graph.first: newest() + 1}).run().gaps) == 1


def test_parameters_of_functions_are_left_to_inlining():
    proto = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 11, "l" : 1]>
        g (float[2,1] x) => (float[2] y) { y = l.f<a=[1]>(x) }
        <domain: "l", opset_import: ["" : 11]> f <a>(x) => (y) { y = Squeeze<axes: ints = @a>(x) }""")
    from onnxsim_core.functions.body import Body

    ir = read_model(proto.SerializeToString())
    body = Body(ir.functions["l", "f", ""].proto, ir)
    (gap,) = Conversion(body.model, 13, name="function l.f").run().gaps
    assert gap.startswith("function l.f/Squeeze->y: ") and gap.endswith(
        "an attribute of it is a parameter of the function (inlining the functions may help)")


@pytest.mark.parametrize(("wanted", "number"), [(None, None), (18, 18), ("18", 18), ("latest", newest()), (7, 7)])
def test_operator_sets_that_can_be_asked_for(wanted, number):
    assert wanted_opset(wanted) == number


@pytest.mark.parametrize("wanted", [6, 0, -1, 1000, "newest", "1.5", 18.0, True, "", [18]])
def test_operator_sets_that_cannot(wanted):
    with pytest.raises(OptionError, match="is no operator set that can be written") as caught:
        wanted_opset(wanted)
    assert caught.value.hint == f"give a number from 7 to {newest()}, or latest"
