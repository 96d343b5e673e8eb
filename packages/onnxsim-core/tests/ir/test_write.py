"""What is written is what was read, but for what changed."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxsim_core import ops, simplify
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Model, rename
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_testkit import model, run
from onnxsim_testkit.backend_suite import backend_cases

ops.load()


def read(proto: onnx.ModelProto) -> Model:
    return read_model(proto.SerializeToString())


def constants_named(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model with Constant nodes of tensors as initializers, which is how constants are written."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    kept = []
    for node in proto.graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            tensor = copy.graph.initializer.add()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = node.output[0]
        else:
            kept.append(node)
    del copy.graph.node[:]
    copy.graph.node.extend(kept)
    return copy


def by_name(protos):
    return {p.name: p for p in protos}


# --- round trips -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", list(backend_cases("light")), ids=lambda case: case.name)
def test_a_light_model_comes_back(case):
    """Field by field; a tensor may have moved from a typed field to raw bytes, so numbers are compared."""
    expected, written = constants_named(case.model), model_proto(read(case.model))
    assert written.graph.node == expected.graph.node
    assert written.graph.input == expected.graph.input and written.graph.output == expected.graph.output
    numbers, found = by_name(expected.graph.initializer), by_name(written.graph.initializer)
    assert numbers.keys() == found.keys()
    for name, tensor in numbers.items():
        a, b = onnx.numpy_helper.to_array(tensor), onnx.numpy_helper.to_array(found[name])
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    for field in ("ir_version", "opset_import", "producer_name", "producer_version", "doc_string", "metadata_props"):
        assert getattr(written, field) == getattr(expected, field)


def decorated() -> onnx.ModelProto:
    """A model with something in every field that simplifying has no use for."""
    proto = onnx.parser.parse_model("""<ir_version: 11, opset_import: ["" : 21, "acme" : 3], producer_name: "maker",
        producer_version: "1.2", domain: "org", model_version: 7, doc_string: "about">
        g (float[2] x, seq(float[2]) s, optional(float[2]) o) => (float[2] y, seq(float[2]) t)
        { a = acme.Twice(x) y = Neg(a) t = Identity(s) }
        <domain: "acme", opset_import: ["" : 21], doc_string: "double">
        Twice (p) => (q) { q = Add(p, p) }""")
    graph = proto.graph
    graph.doc_string = "graph"
    proto.metadata_props.add(key="k", value="v")
    graph.metadata_props.add(key="gk", value="gv")
    node = graph.node[1]
    node.name, node.doc_string = "negate", "node"
    node.metadata_props.add(key="nk", value="nv")
    graph.input[0].doc_string = "input"
    note = graph.quantization_annotation.add(tensor_name="a")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="x")
    graph.sparse_initializer.append(helper.make_sparse_tensor(
        helper.make_tensor("sparse", TensorProto.FLOAT, [2], [1.0, 2.0]),
        helper.make_tensor("", TensorProto.INT64, [2], [0, 5]), [8]))
    graph.initializer.append(helper.make_tensor("typed", TensorProto.FLOAT16, [2], [1.5, -2.0]))
    graph.initializer.append(helper.make_tensor("words", TensorProto.STRING, [2], [b"a", b"\xff"]))
    graph.initializer[0].doc_string = "weight"
    for one in graph.node:
        if not one.domain:
            one.ClearField("domain")  # the parser sets it, and protobuf tells empty from absent
    training = proto.training_info.add()
    training.algorithm.node.add(op_type="Neg", input=["x"], output=["g"])
    training.algorithm.name = "step"
    training.update_binding.add(key="typed", value="g")
    return proto


def test_every_field_is_kept():
    expected = decorated()
    assert model_proto(read(expected)) == expected


def test_a_node_written_anew_keeps_name_and_remarks():
    expected = decorated()
    ir = read(expected)
    for node in ir.graph:
        node.changed = True
        assert node.attributes == {}  # decoded, so written from the decoded form
    assert model_proto(ir) == expected


def test_an_annotation_goes_with_its_value():
    ir = read(decorated())
    rename(ir.graph.first.outputs[0], "other")
    assert not model_proto(ir).graph.quantization_annotation


# --- attributes ------------------------------------------------------------------------------------------------------
def test_attributes_of_every_kind_are_written_as_they_were():
    node = helper.make_node(
        "Op", ["x"], ["y"], domain="acme", i=-3, f=0.5, s=b"\xfe", ints=[1, -2], floats=[1.0, 2.5], strings=["a", "b"],
        t=helper.make_tensor("", TensorProto.INT32, [2], np.array([4, 5], np.int32).tobytes(), raw=True),
        ts=[helper.make_tensor("n", TensorProto.FLOAT, [1], [1.0])], empty=helper.make_tensor("", 1, [0], b"", raw=True),
        tp=helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }", domains={"acme": 1})
    for attribute in node.attribute:
        if attribute.HasField("t"):
            attribute.t.ClearField("name")  # a tensor in an attribute goes without one
    proto.graph.node[0].CopyFrom(node)
    expected = proto.graph.node[0]
    ir = read(proto)
    only = ir.graph.first
    assert (only.attribute("i"), only.attribute("ints"), only.attribute("s")) == (-3, (1, -2), b"\xfe")
    only.changed = True
    written = model_proto(ir).graph.node[0]
    assert by_name(written.attribute) == by_name(expected.attribute)


def test_a_node_that_did_not_change_is_the_bytes_it_was():
    proto = model("g (float[2] x) => (float[2] y) { a = Relu(x) y = Neg(a) }", opset=17)
    for node in proto.graph.node:
        # Field 99 is none of NodeProto: only bytes that are copied still have it.
        node.MergeFromString(bytes([0x9A, 0x06, 0x01, 0x41]))
    ir = read(proto)
    assert all(not node.changed for node in ir.graph)
    ir.graph.last.changed = True
    assert [b"\x9a\x06\x01" in n.SerializeToString() for n in model_proto(ir).graph.node] == [True, False]


# --- operator sets ---------------------------------------------------------------------------------------------------
def test_ai_onnx_is_another_name_of_the_default_domain():
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=17)
    proto.opset_import[0].domain = "ai.onnx"
    proto.opset_import.add(domain="ai.onnx.ml", version=3)
    proto.graph.node[0].domain = "ai.onnx"
    ir = read(proto)
    assert ir.opsets == {"": 17, "ai.onnx.ml": 3} and ir.graph.first.domain == ""
    assert model_proto(ir) == proto
    ir.opsets = {"": 18, "new": 2}
    assert [(o.domain, o.version) for o in model_proto(ir).opset_import] == [("ai.onnx", 18), ("new", 2)]


# --- types of inner values -------------------------------------------------------------------------------------------
INNER = """g (float[n,3] x) => (float[k] y) <float[a,b] u, float[n,m] v, float[7] w> {
    v = Relu(x) u = acme.Op(v) w = Neg(u) y = acme.Op(w) }"""


def test_types_inside_are_kept_narrowed_and_dropped():
    proto = model(INNER, opset=17, domains={"acme": 1})
    proto.graph.value_info.add(name="nobody").type.CopyFrom(helper.make_tensor_type_proto(1, [1]))
    by_name(proto.graph.value_info)["v"].doc_string = "noted"
    ir = read(proto)
    values = {node.outputs[0].name: node.outputs[0] for node in ir.graph}
    Inference(ir).infer(ir.graph.first)
    values["w"].doubtful = True
    found = by_name(model_proto(ir).graph.value_info)
    assert set(found) == {"u", "v"}  # w is in doubt, nobody is not there
    dims = [d.dim_param or d.dim_value for d in found["v"].type.tensor_type.shape.dim]
    assert dims == ["n", 3] and found["v"].doc_string == "noted"
    assert found["u"] == by_name(proto.graph.value_info)["u"]


def test_a_size_of_which_nothing_is_known_keeps_the_name_the_file_gave_it():
    ir = read(model("g (float[n] x) => (float[k] y) <int64[2,hits] i, float[2,1] z> "
                    "{ i = NonZero(x) z = acme.Op(i) y = acme.Op(z) }", opset=17, domains={"acme": 1}))
    first = ir.graph.first
    Inference(ir).set(first.outputs[0], 7, (1, ir.symbols.fresh()))
    found = by_name(model_proto(ir).graph.value_info)["i"].type.tensor_type.shape
    assert [d.dim_param or d.dim_value for d in found.dim] == [1, "hits"]


def test_inner_types_are_written_as_formulas_of_the_model_s_own_symbols():
    ir = read(model("g (float[n,3] x) => (float[] y) { a = Concat<axis = 0>(x, x) b = NonZero(a) y = Cast<to = 1>(b) }",
                    opset=17))
    Inference(ir).walk(ir.graph)
    found = by_name(model_proto(ir).graph.value_info)
    assert [d.dim_param or d.dim_value for d in found["a"].type.tensor_type.shape.dim] == ["2*n", 3]
    assert [d.WhichOneof("value") for d in found["b"].type.tensor_type.shape.dim] == ["dim_value", None]


def test_what_enters_a_scan_is_not_declared_smaller_than_it_is():
    """A Loop kept onnxruntime from seeing that the rows that come out depend on the size declared here."""
    rows = "Loop<body = l (int64 i, bool c, float[?,?] v) => (bool d, float[?,?] w) { d = Identity(c) w = Neg(v) }>(one, , r)"
    body = f"b (float[2,3] r) => (float[?,?] t) <int64 one = {{1}}> {{ t = {rows} }}"
    before = model(f"g (float[n,2,k] x) => (float[?,?,?] y) {{ y = Scan<num_scan_inputs = 1, body = {body}>(x) }}")
    feeds = {"x": np.arange(24, dtype=np.float32).reshape(3, 2, 4)}
    after = simplify(before).model
    inside = next(attribute.g for attribute in after.graph.node[0].attribute if attribute.name == "body")
    assert [node.op_type for node in inside.node] == ["Neg"]
    assert [(dim.dim_value, dim.dim_param) for dim in inside.input[0].type.tensor_type.shape.dim] == [(2, ""), (0, "")]
    assert np.array_equal(run(after, feeds)["y"], -feeds["x"])
    assert np.array_equal(run(before, feeds)["y"], -feeds["x"])


BRANCHES = """g (bool c, float[2,3] x) => (float[2,3] y) {
    z = If(c) <then_branch = t () => (a) { s = Constant<value_floats = [0.]>() k = Constant<value_ints = [2,3]>() a = Expand(s, k) },
              else_branch = e () => (b) { b = Relu(x) }>
    y = Neg(z) }"""


def branch_outputs(proto: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    return [attribute.g.output[0] for attribute in proto.graph.node[0].attribute]


def test_a_branch_output_without_a_type_gets_one_as_a_constant():
    """onnx refuses an initializer there that is not declared; what a node makes it infers."""
    before = model(BRANCHES, opset=17)
    for branch in branch_outputs(before):
        branch.ClearField("type")
        branch.doc_string = "noted"
    onnx.checker.check_model(before, full_check=True)
    after = simplify(before).model
    onnx.checker.check_model(after, full_check=True)
    constant, computed = branch_outputs(after)
    assert constant.type == helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 3])
    assert not computed.HasField("type")
    assert constant.doc_string == computed.doc_string == "noted"
    x = np.arange(-2, 4, dtype=np.float32).reshape(2, 3)
    for c, expected in ((True, np.zeros((2, 3))), (False, -np.maximum(x, 0))):
        assert np.array_equal(run(after, {"c": np.array(c), "x": x})["y"], expected)


def test_a_declared_branch_output_keeps_its_type():
    before = model(BRANCHES.replace("(a)", "(float[n,3] a)"), opset=17)
    constant, _ = branch_outputs(simplify(before).model)
    assert constant.type == helper.make_tensor_type_proto(TensorProto.FLOAT, ["n", 3])


def test_a_body_output_without_a_type_gets_one_as_a_constant():
    before = model("""g (int64 n, float[2] x) => (float[2] y, float[k,2] z) <bool on = {1}> { y, z = Loop(n, on, x) <body =
        l (int64 i, bool c, float[2] v) => (bool d, float[2] w, u) { d = Identity(c) w = Neg(v)
        s = Constant<value_floats = [2.]>() k = Constant<value_ints = [2]>() u = Expand(s, k) }> }""", opset=17)
    body = before.graph.node[0].attribute[0].g
    body.output[2].ClearField("type")
    onnx.checker.check_model(before, full_check=True)
    after = simplify(before).model
    onnx.checker.check_model(after, full_check=True)
    assert after.graph.node[0].attribute[0].g.output[2].type == helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
    found = run(after, {"n": np.array(3), "x": np.ones(2, np.float32)})
    assert np.array_equal(found["y"], [-1, -1]) and np.array_equal(found["z"], np.full((3, 2), 2))


def test_a_renamed_output_is_declared_under_its_new_name():
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=17)
    proto.graph.output[0].doc_string = "result"
    ir = read(proto)
    rename(ir.graph.first.outputs[0], "z")
    graph = model_proto(ir).graph
    assert graph.node[0].output == ["z"]
    assert (graph.output[0].name, graph.output[0].doc_string) == ("z", "result")
    assert graph.output[0].type == proto.graph.output[0].type
