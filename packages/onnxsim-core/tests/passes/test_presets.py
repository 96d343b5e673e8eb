"""Presets: what each changes, what it demands, what it reports; and blocks that compilers look for."""

import numpy as np
import onnx
import pytest

from onnxsim_core import OptionError, simplify
from onnxsim_core.passes import catalog, presets
from onnxsim_testkit import model

catalog.load()
RNG = np.random.default_rng(0)


def ops(proto, **options):
    result = simplify(proto, 1, **options)
    assert result.ok and not result.report.blamed
    return [node.op_type for node in result.model.graph.node]


@pytest.mark.parametrize("name", presets.PRESETS)
def test_presets_name_passes_that_exist(name):
    preset = presets.PRESETS[name]

    assert all(catalog.CATALOG[one].kind == "rules" and not catalog.CATALOG[one].default for one in preset.adds)
    assert all(catalog.CATALOG[one].default for one in preset.skips)
    assert preset.summary


def test_an_unknown_preset_is_an_error():
    proto = model("g (float[2] x) => (float[2] z) { z = Relu(x) }")
    with pytest.raises(OptionError, match="no preset called 'tensor_rt'.*did you mean tensorrt"):
        simplify(proto, preset="tensor_rt")
    with pytest.raises(OptionError, match="they are ort, tensorrt, tflite, coreml, npu, quantize"):
        simplify(proto, preset="zzz")


def test_what_the_caller_names_comes_first():
    skipped, extra = presets.combined("quantize", ["fuse_gelu"], ["fuse_matmul_add_bias_into_gemm"])

    assert "fuse_matmul_add_bias_into_gemm" not in skipped and "fuse_gelu" in skipped
    assert "eliminate_duplicate_initializer" in skipped
    assert presets.combined(None, ["a"], ["b"]) == (frozenset({"a"}), ("b",))
    skipped, extra = presets.combined("npu", ["rank0_to_rank1"], [])
    assert "rank0_to_rank1" not in catalog.select(optimize=True, skipped=skipped, extra=extra)


# --- quantize --------------------------------------------------------------------------------------------------------
def test_for_quantizers_products_and_sums_stay_apart_and_weights_their_own():
    weight = RNG.standard_normal((4, 4)).astype(np.float32)
    proto = model(
        """g (float[n,4] x) => (float[n,4] z) {
        a = MatMul(x, u) b = Add(a, c) r = Relu(b) d = MatMul(r, v) z = Add(d, c) }""",
        initializers={"u": weight, "v": weight.copy(), "c": np.ones(4, np.float32)},
    )

    assert ops(proto) == ["Gemm", "Relu", "Gemm"] and len(simplify(proto).model.graph.initializer) == 2
    assert ops(proto, preset="quantize") == ["MatMul", "Add", "Relu", "MatMul", "Add"]
    assert {t.name for t in simplify(proto, preset="quantize").model.graph.initializer} == {"u", "v", "c"}
    assert "Gemm" in ops(proto, preset="quantize", extra_optimizers=["fuse_matmul_add_bias_into_gemm"])


def test_for_quantizers_batch_normalization_is_folded():
    proto = model(
        """g (float[1,2,4,4] x) => (float[1,2,4,4] z) {
        y = Conv(x, w) z = BatchNormalization(y, s, s, s, s) }""",
        initializers={"w": np.ones((2, 2, 1, 1), np.float32), "s": np.full(2, 2, np.float32)},
    )

    assert ops(proto, preset="quantize") == ["Conv"]


# --- tensorrt, tflite, coreml, ort --------------------------------------------------------------------------------------
def test_for_tensorrt_pieces_have_static_sizes_and_plugins_stay():
    proto = model(
        "g (float[2,6] x) => (float[2,3] z) { a, b = Split<axis=1, num_outputs=2>(x) p = trt.Plugin(a) "
        "i = Identity(b) z = Add(p, i) }",
        opset=18,
        domains={"trt": 1},
    )
    result = simplify(proto, preset="tensorrt").model

    assert [(n.domain, n.op_type) for n in result.graph.node] == [("", "Split"), ("trt", "Plugin"), ("", "Add")]
    sizes = {t.name: onnx.numpy_helper.to_array(t).tolist() for t in result.graph.initializer}
    assert sizes[result.graph.node[0].input[1]] == [3, 3] and not [
        a for a in result.graph.node[0].attribute if a.name == "num_outputs"
    ]


def test_for_tensorrt_scales_of_a_resize_are_initializers():
    proto = model("""g (float[1,2,4,4] x) => (float[1,2,h,w] z) {
        k = Constant<value_floats=[1.0, 1.0]>() t = Constant<value_floats=[2.0, 2.0]>() s = Concat<axis=0>(k, t)
        z = Resize<mode="nearest">(x, , s) }""")
    result = simplify(proto, preset="tensorrt").model

    assert [n.op_type for n in result.graph.node] == ["Resize"]
    assert [t.name for t in result.graph.initializer] == [result.graph.node[0].input[2]]


NORM = """g (float[2,3,8] x) => (float[2,3,8] z) <float two={2}, float eps={0.00001}> {
    m = ReduceMean<axes=[-1]>(x) d = Sub(x, m) q = Pow(d, two) v = ReduceMean<axes=[-1]>(q) e = Add(v, eps)
    r = Sqrt(e) z = Div(d, r) }"""


@pytest.mark.parametrize(("preset", "fused"), [(None, True), ("tensorrt", True), ("tflite", False), ("coreml", True)])
def test_what_a_target_lacks_stays_in_parts(preset, fused):
    assert ("LayerNormalization" in ops(model(NORM, opset=17), preset=preset)) is fused


def test_for_onnxruntime_the_scale_of_attention_stays_where_it_is():
    proto = model(
        """g (float[2,4,8] x, float[2,8,4] k) => (float[2,4,4] z) <float s={8}> {
        q = MatMul(x, w) d = Div(q, s) z = MatMul(d, k) }""",
        initializers={"w": RNG.standard_normal((8, 8)).astype(np.float32)},
    )

    assert ops(proto, preset="ort") == ["MatMul", "Div", "MatMul"]
    assert ops(proto) == ["MatMul", "MatMul"]


def test_nodes_without_a_static_shape_are_reported():
    proto = model("g (float[n,3] x) => (float[m,3] z) { y = Relu(x) z = Concat<axis=0>(y, y) }")
    for node, name in zip(proto.graph.node, ("act", "join"), strict=True):
        node.name = name

    assert simplify(proto, preset="tflite").report.warnings == [
        "preset tflite: main/act (Relu): the shape of a result is not static",
        "preset tflite: main/join (Concat): the shape of a result is not static",
    ]
    assert simplify(proto, preset="tflite", overwrite_input_shapes={"x": [2, 3]}).report.warnings == []


# --- npu ----------------------------------------------------------------------------------------------------------------
CONV = (
    'g (float[{n},2,8,8] x) => (float[{m},2,h,w] z) {{ y = Conv<auto_pad="SAME_UPPER">(x, w) z = MaxPool'
    "<kernel_shape=[2,2], storage_order=1>(y) }}"
)
WEIGHT = {"w": RNG.standard_normal((2, 2, 3, 3)).astype(np.float32)}


def test_for_an_npu_layers_state_all_attributes():
    nodes = simplify(model(CONV.format(n=1, m=1), initializers=WEIGHT), 1, preset="npu").model.graph.node

    found = {node.op_type: {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute} for node in nodes}
    assert found == {
        "Conv": {"kernel_shape": [3, 3], "strides": [1, 1], "dilations": [1, 1], "pads": [1, 1, 1, 1], "group": 1},
        "MaxPool": {"kernel_shape": [2, 2], "strides": [1, 1], "dilations": [1, 1], "pads": [0, 0, 0, 0]},
    }


def test_for_an_npu_shapes_must_be_static():
    proto = model(CONV.format(n="n", m="n"), initializers=WEIGHT)
    with pytest.raises(OptionError, match=r"preset npu demands static shapes, which these inputs lack: x \[n,2,8,8\]"):
        simplify(proto, preset="npu")
    assert simplify(proto, 1, preset="npu", overwrite_input_shapes={"x": [1, 2, 8, 8]}).ok


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("g (float[3] x) => (float[3] z) { z = my.Op(x) }", "an operator of my"),
        (
            "g (bool c, float[3] x) => (float[3] z) { z = If(c) <then_branch = t () => (float[3] a) { a = Neg(x) }, "
            "else_branch = e () => (float[3] b) { b = Abs(x) }> }",
            "control flow",
        ),
        (
            "g (float[3,1,2] x, float[1,8,2] w, float[1,8,2] r) => (float[3,1,1,2] z) { z = LSTM<hidden_size=2>(x, w, r) }",
            "a recurrent layer",
        ),
        ("g (float[3] x) => (int64[1,n] z) { z = NonZero(x) }", "the size of its result depends on the data"),
        ("g (float[3] x, int64[1] s) => (float[n] z) { z = Reshape(x, s) }", "the shape of a result is not static"),
        ("g (float[1,2,3,4,5] x) => (float[1,2,3,4,5] z) { z = Relu(x) }", "a result with more than 4 axes"),
        ("g (double[3] x) => (double[3] z) { z = Relu(x) }", "floats of 64 bits"),
        ("g (bfloat16[3] x) => (bfloat16[3] z) { z = Relu(x) }", "bfloat16"),
        ("g (string[3] x) => (string[3] z) { z = StringNormalizer(x) }", "strings"),
        ("g (float[1,1,3,3] x, float[1,1,2,2] w) => (float[1,1,2,2] z) { z = Conv(x, w) }", "its weight is computed"),
        (
            "g (float[3] x) => (seq(float[3]) z) { z = SequenceConstruct(x, x) }",
            "a result that is no tensor",
        ),
    ],
)
def test_what_an_npu_will_not_take_is_told_node_by_node(text, reason):
    warnings = simplify(
        model(text, domains={"my": 1}), preset="npu", skipped_optimizers=["eliminate_sequence"]
    ).report.warnings

    assert any(line.startswith("preset npu: main/") and line.endswith(f": {reason}") for line in warnings), warnings


def test_a_quantized_weight_is_a_weight():
    proto = model("""g (float[1,1,3,3] x) => (float[1,1,2,2] z) <int8[1,1,2,2] q={1,2,3,4}, float s={0.5}> {
        w = DequantizeLinear(q, s) z = Conv(x, w) }""")

    assert simplify(proto, preset="npu").report.warnings == []


# --- blocks that compilers look for ---------------------------------------------------------------------------------------
FOCUS = """g (float[1,3,8,8] x) => (float[1,4,4,4] z)
    <int64[1] s0={0}, int64[1] s1={1}, int64[1] end={9223372036854775807}, int64[1] h={2}, int64[1] w={3},
     int64[1] two={2}> {
    r0 = Slice(x, s0, end, h, two) a = Slice(r0, s0, end, w, two)
    r1 = Slice(x, s1, end, h, two) b = Slice(r1, s0, end, w, two)
    r2 = Slice(x, s0, end, h, two) c = Slice(r2, s1, end, w, two)
    r3 = Slice(x, s1, end, h, two) d = Slice(r3, s1, end, w, two)
    f = Concat<axis=1>(a, b, c, d) z = Conv(f, k, o) }"""
FOCUS_WEIGHTS = {"k": RNG.standard_normal((4, 12, 1, 1)).astype(np.float32), "o": np.ones(4, np.float32)}


@pytest.mark.parametrize("preset", [None, *presets.PRESETS])
def test_a_focus_block_survives(preset):
    """Four slices of one image, by rows and columns, joined in order before a Conv of their own."""
    graph = simplify(model(FOCUS, initializers=FOCUS_WEIGHTS), 1, preset=preset).model.graph
    numbers = {t.name: onnx.numpy_helper.to_array(t).tolist() for t in graph.initializer if t.data_type == 7}
    nodes = {node.output[0]: node for node in graph.node}

    assert sorted(node.op_type for node in graph.node) == ["Concat", "Conv", *["Slice"] * 4]
    conv = next(node for node in graph.node if node.op_type == "Conv")
    concat = nodes[conv.input[0]]
    slices = [nodes[name] for name in concat.input]
    assert concat.attribute[0].i == 1 and {node.input[0] for node in slices} == {"x"}
    starts = [dict(zip(numbers[n.input[3]], numbers[n.input[1]], strict=True)) for n in slices]
    assert starts == [{2: 0, 3: 0}, {2: 1, 3: 0}, {2: 0, 3: 1}, {2: 1, 3: 1}]
    assert all(numbers[node.input[4]] == [2, 2] for node in slices)


HEADS = [
    ("Flatten", "f = Flatten<axis=1>(r) z = Gemm<transB=1>(f, w, b)"),
    ("Reshape", "f = Reshape(r, t) z = Gemm<transB=1>(f, w, b)"),
]


@pytest.mark.parametrize("preset", [None, "ort", "tensorrt", "tflite", "coreml", "quantize"])
@pytest.mark.parametrize(("op", "head"), HEADS, ids=["Flatten", "Reshape"])
def test_a_flattened_head_survives_with_the_shape_before_it(preset, op, head):
    """[N, C, H, W] -> [N, C*H*W] before a Gemm; the compiler finds C, H and W in the value_info of what is flattened."""
    proto = model(
        "g (float[n,3,8,8] x) => (float[n,5] z) { c = Conv(x, k) r = Relu(c) " + head + " }",
        initializers={
            "k": RNG.standard_normal((4, 3, 3, 3)).astype(np.float32),
            "w": RNG.standard_normal((5, 144)).astype(np.float32),
            "b": np.ones(5, np.float32),
            "t": np.array([-1, 144]),
        },
    )
    graph = simplify(proto, 1, preset=preset).model.graph

    assert [node.op_type for node in graph.node] == ["Conv", "Relu", op, "Gemm"]
    types = {
        info.name: [d.dim_value or d.dim_param for d in info.type.tensor_type.shape.dim] for info in graph.value_info
    }
    assert types[graph.node[2].input[0]] == ["n", 4, 6, 6]
    assert types[graph.node[2].output[0]] == ["n", 144]


def test_a_flattened_head_of_matmul_and_add_survives_for_quantizers():
    proto = model(
        "g (float[n,4,2,2] x) => (float[n,5] z) { f = Flatten(x) m = MatMul(f, w) z = Add(m, b) }",
        initializers={"w": RNG.standard_normal((16, 5)).astype(np.float32), "b": np.ones(5, np.float32)},
    )

    assert ops(proto) == ["Flatten", "Gemm"]
    assert ops(proto, preset="quantize") == ["Flatten", "MatMul", "Add"]


def test_nodes_of_a_private_domain_survive_and_the_rest_is_simplified():
    proto = model(
        "g (float[n,4] x) => (float[n,4] z) { i = Identity(x) d = axelera.Decode(i) j = Identity(d) z = Relu(j) }",
        domains={"axelera": 1},
    )

    assert [n.op_type for n in simplify(proto).model.graph.node] == ["Decode", "Relu"]
