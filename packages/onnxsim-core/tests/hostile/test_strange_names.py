"""Names that are not valid UTF-8, which protobuf hands out as bytes, wherever a file can have a name."""

import os

import numpy as np
import onnx
import pytest

from onnxsim_core import ModelError, simplify
from onnxsim_testkit import model

TEXT = """<ir_version: 10, opset_import: ["" : 21, "domXin" : 1, "" : 21]>
    graXh (float[symXol,4] inXut) => (float[] outXut) <float[4] consXant = {1,2,3,4}> {
        [nodXname] midXle = Add(inXut, consXant)
        thrXugh = domXin.funXtion<attXibute = 1>(midXle)
        ownXop = domXin.OwnXop(thrXugh)
        outXut = Identity(ownXop) }
    <domain: "domXin", opset_import: ["" : 21, "domXin" : 1]>
    funXtion (argXment) => (resXlt) { k = Neg(argXment) resXlt = Relu(k) }"""
WORDS = ["graXh", "symXol", "inXut", "outXut", "consXant", "nodXname", "midXle", "attXibute", "thrXugh", "OwnXop", "argXment",
         "resXlt"]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_name_that_is_no_text_is_a_name(word):
    """The same bytes everywhere: the model is simplified, and still has that name."""
    data = model(TEXT).SerializeToString()
    assert word.encode() in data
    broken = data.replace(word.encode(), word.encode().replace(b"X", b"\xff"))

    simplified = simplify(broken).model

    assert [node.op_type for node in simplified.graph.node][:1] == ["Add"]
    if word in ("inXut", "outXut", "OwnXop"):
        assert word.encode().replace(b"X", b"\xff") in simplified.SerializeToString()


@pytest.mark.parametrize("word", ["domXin", "funXtion"])
def test_a_function_or_domain_must_be_text(word):
    data = model(TEXT).SerializeToString().replace(word.encode(), word.encode().replace(b"X", b"\xff"))

    with pytest.raises(ModelError, match="not valid UTF-8"):
        simplify(data)


def test_an_operator_or_attribute_of_onnx_that_is_no_text():
    proto = model("g (float[2,3] x) => (float[3,2] y) { y = Transpose<perm = [1, 0]>(x) }")
    data = proto.SerializeToString()
    for old, new in ((b"Transpose", b"Trans\xffose"), (b"perm", b"pe\xffm")):
        simplified = simplify(data.replace(old, new)).model
        assert new in simplified.SerializeToString()


def test_an_attribute_written_anew_keeps_its_name():
    """The node is changed, because what it reads goes, so its attributes are written again."""
    text = """<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
        g (float[2] x) => (float[] y) { a = Identity(x) y = own.Op<atXr = 3, other = "s">(a) }"""
    data = model(text).SerializeToString().replace(b"atXr", b"at\xffr")

    simplified = simplify(data).model

    (node,) = simplified.graph.node
    assert node.input == ["x"]
    assert b"at\xffr" in node.SerializeToString()
    assert sorted(attribute.type for attribute in node.attribute) == [onnx.AttributeProto.INT, onnx.AttributeProto.STRING]


def test_an_attribute_of_a_function_outside_of_one():
    proto = model("g (float[2,3] x) => (float[3,2] y) { y = Transpose<perm = [1, 0]>(x) }")
    proto.graph.node[0].attribute[0].ref_attr_name = "perm"

    (node,) = simplify(proto).model.graph.node
    assert node.attribute == proto.graph.node[0].attribute


def test_data_in_a_file_whose_name_is_no_text(tmp_path):
    """A file system takes any bytes; a model that came without a folder has no such file."""
    proto = model("g (float[2] x) => (float[2] y) { y = Add(x, w) }", initializers={"w": np.float32([1, 2])})
    onnx.external_data_helper.convert_model_to_external_data(proto, location="dXta", size_threshold=0)
    onnx.save(proto, tmp_path / "model.onnx")
    changed = (tmp_path / "model.onnx").read_bytes().replace(b"dXta", b"d\xffta")
    (tmp_path / "model.onnx").write_bytes(changed)
    os.rename(tmp_path / "dXta", os.fsencode(tmp_path) + b"/d\xffta")

    simplified = simplify(tmp_path / "model.onnx").model

    assert onnx.numpy_helper.to_array(simplified.graph.initializer[0]).tolist() == [1, 2]
    with pytest.raises(ModelError, match="without a folder"):
        simplify(changed)


def test_a_shape_that_no_type_holds_is_not_written():
    proto = model("g (float[n,m] x, float[1,1] k) => (float[] y) { s = Shape(x) e = Expand(k, s) y = Add(e, k) }")
    for dim in proto.graph.input[0].type.tensor_type.shape.dim:
        dim.dim_value = 2**63 - 1
    proto.graph.node.insert(0, onnx.helper.make_node("Concat", ["x", "x"], ["xx"], axis=0))
    proto.graph.node[1].input[0] = "xx"

    assert simplify(proto).model.graph.node


def test_a_weight_without_axes():
    for op in ("Conv", "ConvTranspose"):
        proto = model(f"g (float[1,1,4] x, float w) => (float[] y) {{ c = {op}(x, w) y = Neg(c) }}")
        assert [node.op_type for node in simplify(proto).model.graph.node] == [op, "Neg"]


def test_numbers_no_type_holds_are_not_folded():
    """A size of sizes beyond 64 bits, and a version of an operator set beyond 32."""
    proto = model("g (float[n] x) => (int64 y) <float[1] w = {1}> { y = Size(x) }")
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 2**62
    proto.graph.input[0].type.tensor_type.shape.dim.add().dim_value = 2**62
    assert [node.op_type for node in simplify(proto).model.graph.node] == ["Size"]

    proto.opset_import[0].version = 2**40
    assert len(simplify(proto).model.graph.node) == 1
