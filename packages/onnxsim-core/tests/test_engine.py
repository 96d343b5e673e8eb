"""What importing the package loads, what starting the command does not, and what must be kept of whole models."""

import subprocess
import sys

import numpy as np
import onnx
import pytest

import onnxsim_core
from onnxsim_testkit import assert_same_outputs, model, run


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_the_engine():
    loaded = modules_after("import onnxsim_core")
    assert {"onnx", "onnxsim_core.passes.fuse_bn_into_conv", "onnxsim_core.ops.layout"} <= loaded


def test_the_engine_needs_no_optional_package():
    assert not {"onnxruntime", "rich", "matplotlib", "onnxoptimizer"} & modules_after("import onnxsim_core")


def test_starting_the_command_loads_neither_onnx_nor_numpy():
    loaded = modules_after("import onnxsim_command, onnxsim_core.cli.main")
    assert not {"onnx", "numpy", "onnxsim_core.engine"} & loaded


def test_simplify_is_there_for_the_command_when_asked_for():
    loaded = modules_after("import onnxsim_command, onnxsim_core; assert callable(onnxsim_core.simplify)")
    assert "onnxsim_core.api" in loaded


# --- whole models ------------------------------------------------------------------------------------------------------
HALVES, COUNTS = np.float32([[0.5, 1.5], [-2.5, 4]]), np.arange(6, dtype=np.float32).reshape(2, 3)
KEPT = [
    ("x * 0 is NaN for NaN", "(float[2] x) => (float[2] y) <float zero = {0}> { y = Mul(x, zero) }", "Mul",
     [{"x": np.float32([np.nan, np.inf])}]),
    ("outputs that are inputs, constants and twins",
     "(float[2] x, float[2] spare) => (float[2] t, float[2] x, float[2] k, float[2] c, float[2] s)"
     " <float[2] k = {1, 2}> { s = Neg(x) t = Neg(x) c = Add(k, k) }", None, [{"x": np.float32([1, 2]), "spare": np.float32([3, 4])}]),
    ("four products of one input", "(float[2,3] x) => (float[2,2] d, float[2,2] b, float[2,2] a, float[2,2] c)"
     " <float[3,2] u = {1,2,3,4,5,6}, float[3,2] v = {6,5,4,3,2,1}> { a = MatMul(x, u) b = MatMul(x, v) n = Neg(x)"
     " c = MatMul(n, u) d = MatMul(x, v) }", None, [{"x": COUNTS}]),
    ("a transposed bias of a Gemm", "(float[2,2] x, float[2,2] k) => (float[2,2] y) <float[2,2] w = {1,2,3,4}> {"
     " t = Transpose<perm=[1,0]>(k) y = Gemm(x, w, t) }", "Transpose Gemm", [{"x": HALVES, "k": HALVES + 1}]),
    ("a Cast before a Concat", "(int64[n] x, float[m] f) => (float[k] y) { c = Cast<to=1>(x) y = Concat<axis=0>(f, c) }",
     "Cast Concat", [{"x": np.array([1, 2]), "f": np.float32([0.5])}]),
    ("a shape alone of what is too large to make", "(int64[2] x) => (int64[2] y) <int64[2] s = {100000, 100000}> {"
     " h = ConstantOfShape(s) t = Shape(h) y = Add(x, t) }", "Add", None),
    ("sizes of a Resize made of a shape", '(float[1,1,2,3] x) => (float[1,1,4,6] y) <int64[4] k = {1, 1, 2, 2}> {'
     ' s = Shape(x) t = Mul(s, k) y = Resize<mode="nearest">(x, , , t) }', "Resize", [{"x": COUNTS.reshape(1, 1, 2, 3)}]),
    ("a size that is a product of dynamic ones",
     "(float[b,s,3] x) => (float[p,q] y) <int64[1] o = {1}, int64[1] z = {0}, int64[1] three = {3}> {"
     " h = Shape(x) i = Gather(h, z) j = Gather(h, o) k = Mul(i, three) t = Concat<axis=0>(j, k) y = Reshape(x, t) }", None,
     [{"x": np.ones((2, 5, 3), np.float32)}, {"x": COUNTS.reshape(1, 2, 3)}]),
    ("sizes of two inputs", "(float[n,2] x, float[m] w) => (float[p,q] y) <int64[1] two = {2}> {"
     " s = Shape(w) t = Concat<axis=0>(two, s) f = Flatten<axis=0>(x) y = Reshape(f, t) }", None,
     [{"x": COUNTS.reshape(3, 2), "w": np.zeros(3, np.float32)}, {"x": HALVES, "w": np.zeros(2, np.float32)}]),
    ("a Transpose of two dynamic sizes", "(float[n,m,1] x) => (float[m,n,1] y) { y = Transpose<perm=[1,0,2]>(x) }",
     "Transpose", [{"x": COUNTS.reshape(2, 3, 1)}]),
    ("an input of any rank", "(float[] x) => (float[] y) { a = Identity(x) b = Neg(a) y = Neg(b) }", None,
     [{"x": COUNTS}, {"x": COUNTS.reshape(1, 2, 3)}]),
    ("a weight that a body alone reads", "(int64 n, bool c, float[2] x) => (float[2] y) <float[2] w = {2, 3}> {"
     " y = Loop(n, c, x) <body = l (int64 i, bool p, float[2] v) => (bool q, float[2] u) { q = Identity(p) u = Mul(v, w) }> }",
     "Loop", [{"n": np.array(3), "c": np.array(True), "x": np.float32([1, -1])}]),
    ("random numbers in a Loop", "(float[2] x) => (float[2] y, float[k,2] z) <int64 n = {3}, bool c = {1}> {"
     " y, z = Loop(n, c, x) <body = l (int64 i, bool p, float[2] v) => (bool q, float[2] u, float[2] r) {"
     " q = Identity(p) u = Neg(v) r = RandomNormal<shape=[2]>() }> }", None, None),
    ("a constant that drops out in training", "(float[4] x) => (float[4] y) <float[4] w = {1,2,3,4}, float r = {0.5},"
     " bool t = {1}> { d = Dropout(w, r, t) y = Add(x, d) }", "Dropout Add", None),
    ("a contrib product and its bias", "(float[1,16] x) => (float[1,2] y) <float[2] s = {0.5, 2}, float[2] b = {1, -1}> {"
     " q = Identity(x) p = com.microsoft.MatMulNBits<K=16, N=2, bits=4, block_size=16>(q, w, s) y = Add(p, b) }",
     "MatMulNBits Add", [{"x": np.arange(16, dtype=np.float32).reshape(1, 16)}]),
    ("a weight that is quantized and back", "(float[2,2] x) => (float[2,2] y) <float[2,2] w = {1,2,3,4}, float s = {0.5},"
     " int8 z = {0}> { q = QuantizeLinear(w, s, z) d = DequantizeLinear(q, s, z) y = MatMul(x, d) }", None, [{"x": HALVES}]),
    ("a quantized weight that is reshaped", "(float[2,2] x) => (float[2,2] y) <int8[4] q = {1,2,3,4}, float s = {0.5},"
     " int64[2] t = {2, 2}> { d = DequantizeLinear(q, s) w = Reshape(d, t) y = MatMul(x, w) }", None, [{"x": HALVES}]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "left", "feeds"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT])
def test_what_must_be_kept(text, left, feeds):
    packed = {"w": np.arange(16, dtype=np.uint8).reshape(2, 1, 8)} if "MatMulNBits" in text else None
    original = model(f"g {text}", opset=21, domains={"com.microsoft": 1}, initializers=packed)
    result = onnxsim_core.simplify(original).model

    assert [info.name for info in result.graph.input] == [info.name for info in original.graph.input]
    assert [info.name for info in result.graph.output] == [info.name for info in original.graph.output]
    if left is not None:
        assert [node.op_type for node in result.graph.node] == left.split()
    for one in feeds or ():
        assert_same_outputs(original, result, one, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("random numbers in a Loop", "RandomNormal"),
        ("a weight that is quantized and back", "DequantizeLinear"),
        ("a quantized weight that is reshaped", "DequantizeLinear"),
    ],
)
def test_operators_that_no_constant_may_replace(name, operator):
    (text,) = (case[1] for case in KEPT if case[0] == name)

    assert operator in onnx.printer.to_text(onnxsim_core.simplify(model(f"g {text}", opset=21)).model)


def test_a_shape_of_what_is_never_made():
    (text,) = (case[1] for case in KEPT if "too large to make" in case[0])
    result = onnxsim_core.simplify(model(f"g {text}", opset=21)).model

    assert run(result, {"x": np.array([1, -1])})["y"].tolist() == [100001, 99999]


@pytest.mark.parametrize(("kind", "opset"), [(onnx.TensorProto.INT4, 21), (onnx.TensorProto.FLOAT8E4M3FN, 21)])
def test_narrow_weights_stay_narrow(kind, opset):
    original = model("g (float[2,4] x) => (float[2,4] y) { d = DequantizeLinear<axis=0, block_size=2>(q, s) y = MatMul(x, d) }",
                     opset=opset, initializers={"s": np.full((2, 4), 0.5, np.float32)})  # fmt: skip
    original.graph.initializer.append(onnx.helper.make_tensor("q", kind, [4, 4], list(range(-4, 4)) * 2))
    result = onnxsim_core.simplify(original).model

    assert [node.op_type for node in result.graph.node] == ["DequantizeLinear", "MatMul"]
    assert original.graph.initializer[-1] in result.graph.initializer


def test_a_sparse_weight_of_the_main_graph():
    original = model("g (float[2,2] x) => (float[2,2] y) { i = Identity(x) y = Add(i, w) }", opset=17)
    values = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1], [5.0])
    places = onnx.helper.make_tensor("p", onnx.TensorProto.INT64, [1], [2])
    original.graph.sparse_initializer.append(onnx.helper.make_sparse_tensor(values, places, [2, 2]))
    result = onnxsim_core.simplify(original).model

    assert run(result, {"x": HALVES})["y"].tolist() == [[0.5, 1.5], [2.5, 4]]


def test_a_stated_size_that_is_wrong_is_not_believed():
    original = model("g (float[2,3] x) => (float[2,3] y) <float a> { a = Neg(x) b = Identity(a) y = Abs(b) }", opset=17)
    result = onnxsim_core.simplify(original).model

    assert "Identity" not in {node.op_type for node in result.graph.node}
    assert run(result, {"x": COUNTS})["y"].tolist() == COUNTS.tolist()


def test_nodes_of_one_name_and_odd_names():
    original = model("g (float[2] x) => (float[2] y) { [same] a = Neg(x) [same] b = Exp(a) [same] y = Sin(b) }", opset=17)
    original.graph.node[0].input[0] = original.graph.input[0].name = "in/put 0:é"
    original.graph.node[2].output[0] = original.graph.output[0].name = "out put/0"
    result = onnxsim_core.simplify(original).model

    x = np.float32([1, 2])
    np.testing.assert_allclose(run(result, {"in/put 0:é": x})["out put/0"], np.sin(np.exp(-x)), rtol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "g (float[2,3] x, float[4,5] w) => (float[] y) { a = Identity(x) y = MatMul(a, w) }",
        "g (float[2,3] x, float[4] w) => (float[] y) { a = Identity(x) y = Conv(a, w) }",
    ],
)
def test_operators_that_cannot_run_are_left_as_they_are(text):
    result = onnxsim_core.simplify(model(text, opset=17)).model

    (node,) = result.graph.node
    assert (node.op_type, list(node.input)) == (text.split("y = ")[1].split("(")[0], ["x", "w"])


def test_thousands_of_nodes_in_a_row():
    count = 3000
    nodes = [onnx.helper.make_node(("Neg", "Abs")[i % 2], [f"v{i}"], [f"v{i + 1}"]) for i in range(count)]
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in ("v0", f"v{count}")]
    graph = onnx.helper.make_graph(nodes, "chain", ends[:1], ends[1:])
    original = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    result = onnxsim_core.simplify(original).model

    assert run(result, {"v0": np.float32([-3, 2])})[f"v{count}"].tolist() == [3, 2]


SPREAD = {
    "a Tile": "t = Tile(c, r) z = Add(x, t)",
    "an Expand": "t = Expand(c, r) z = Sub(x, t) ",
    "a ConstantOfShape": "t = ConstantOfShape(r) z = Max(x, t)",
    "many Expands": "".join(f"k{i} = Add(c, c) e{i} = Expand(k{i}, r) m{i} = Mul(e{i}, {f'm{i - 1}' if i else 'x'}) " for i in range(30))
    + "z = Relu(m29)",
}


@pytest.mark.parametrize("kind", SPREAD)
def test_what_is_spread_out_is_not_written_out(kind):
    """Numbers that a node makes of next to nothing would be a megabyte each."""
    text = "g (float[512,512] x) => (float[512,512] z) <float[1,1] c = {0.5}, int64[2] r = {512, 512}> { " + SPREAD[kind] + " }"
    proto = model(text, opset=17)
    simplified = onnxsim_core.simplify(proto).model
    assert simplified.ByteSize() <= proto.ByteSize() + 1024
    assert_same_outputs(proto, simplified, {"x": np.linspace(-1, 1, 512 * 512, dtype=np.float32).reshape(512, 512)}, rtol=0, atol=0)


@pytest.mark.parametrize("body", [
    "t = Transpose<perm=[1,0]>(w) a = MatMul(x, w) z = MatMul(a, t)",
    "h = Mul(w, half) a = MatMul(x, w) b = MatMul(x, h) s = Add(a, b) t = Transpose<perm=[1,0]>(w) z = MatMul(s, t)",
])
def test_a_weight_that_is_used_in_two_forms_is_stored_once(body):
    weight = np.random.default_rng(0).standard_normal((256, 384)).astype(np.float32)
    proto = model(f"g (float[2,256] x) => (float[2,256] z) {{ {body} }}",
                  initializers={"w": weight, "half": np.array(0.5, np.float32)})
    simplified = onnxsim_core.simplify(proto).model
    assert simplified.ByteSize() <= 1.25 * proto.ByteSize()
    assert_same_outputs(proto, simplified, {"x": np.ones((2, 256), np.float32)}, rtol=1e-4, atol=1e-3)


def test_an_operator_set_of_the_future_is_kept():
    proto = model("g (float[n] x) => (float[n] z) { a = Identity(x) b = Relu(a) z = NotYetKnown(b) }", opset=17)
    proto.opset_import[0].version = 199
    simplified = onnxsim_core.simplify(proto).model
    assert simplified.opset_import[0].version == 199 and simplified.ir_version == proto.ir_version
    assert [node.op_type for node in simplified.graph.node] == ["Relu", "NotYetKnown"]
    assert simplified.graph.input == proto.graph.input and simplified.graph.output == proto.graph.output


def test_bodies_of_an_open_choice_keep_what_they_read():
    """Both branches read values around them by their names."""
    proto = model("""g (float[2] x, bool c) => (float[2] z) { a = Neg(x) i = Identity(a)
        z = If(c) <then_branch = b1 () => (float[2] p) { p = Exp(i) },
                   else_branch = b2 () => (float[2] q) { j = Abs(i) q = Mul(j, x) }> }""", opset=17)
    simplified = onnxsim_core.simplify(proto).model
    assert [node.op_type for node in simplified.graph.node] == ["Neg", "If"]
    for choice in (True, False):
        assert_same_outputs(proto, simplified, {"x": np.float32([1, -2]), "c": np.array(choice)}, rtol=0, atol=0)


@pytest.mark.runtime
def test_a_constant_that_is_resized_is_stored():
    proto = model("""g (float[1,1,4,6] x) => (float[1,1,4,6] y) <float[1,1,2,3] c = {0,1,2,3,4,5}, float[4] s = {1,1,2,2}> {
        r = Resize<mode="nearest">(c, , s) y = Add(x, r) }""", opset=17)
    simplified = onnxsim_core.simplify(proto).model
    assert [node.op_type for node in simplified.graph.node] == ["Add"]
    assert_same_outputs(proto, simplified, {"x": np.ones((1, 1, 4, 6), np.float32)}, rtol=0, atol=0)
