"""Attributes of an unexpected kind count as absent, so that no rule falls over a malformed or half-open node."""

import random

import pytest
from ops.test_registry_malformed import ATTRIBUTE_VALUES, random_value

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.dims import SymbolTable
from onnxsim_core.ir.graph import Graph, Model, Node, Value, add_use
from onnxsim_core.ops.attributes import entries, integer, integers, word
from onnxsim_core.ops.registry import SHAPES

FAMILIES = {
    "contrib", "contrib_attention", "classic", "signals", "sequence", "control_flow", "recurrent", "quantization",
}  # fmt: skip
OPSETS = {"": 24, "com.microsoft": 1, "ai.onnx.ml": 4, "mmdeploy": 1, "qonnx.custom_op.general": 1}
NAMES = (
    "num_heads kv_num_heads qkv_hidden_sizes keep_topk output_height output_width axis axes keepdims direction "
    "hidden_size layout to stash_type classlabels_strings classlabels_int64s intercepts n_targets targets "
    "inputdimensions cats_int64s values_strings values_tensor ngram_indexes onesided inverse reduction dtype "
    "output_dtype new_axis pixel_format cast_to string_vocabulary past_present_share_buffer num_scan_inputs "
    "scan_input_axes scan_output_axes type"
).split()
RULES = sorted(
    key if isinstance(key, tuple) else ("", key)
    for key, rule in SHAPES.table(OPSETS).known().items()
    if rule.__module__.rpartition(".")[2] in FAMILIES
)


@pytest.mark.parametrize(("domain", "op_type"), RULES)
def test_malformed_nodes_are_survived(domain, op_type):
    rng = random.Random(f"{domain}.{op_type}")
    for _ in range(60):
        model = Model(None, SymbolTable())
        model.opsets = {**OPSETS, "": rng.choice([8, 12, 17, 24])}
        graph = Graph(model)
        inputs = [
            random_value(rng, graph, f"x{index}") for index in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 5, 7, 9, 12]))
        ]
        outputs = [Value(f"y{index}", graph) for index in range(rng.choice([0, 1, 1, 1, 2, 3, 4]))]
        attributes = {name: rng.choice(ATTRIBUTE_VALUES) for name in rng.sample(NAMES, rng.randrange(12))}
        node = Node(op_type, inputs, outputs, attributes=attributes, domain=domain)
        node.graph = graph
        for value in outputs:
            value.node = node
        for value in inputs:
            if value is not None:
                add_use(value, node)
        ctx = Inference(model)
        ctx.infer(node)
        before = [(value.dtype, value.shape, value.data) for value in outputs]
        ctx.infer(node)
        assert [(value.dtype, value.shape, value.data) for value in outputs] == before, (node, attributes)


def test_what_is_of_the_expected_kind_is_given():
    node = Node("Op", [], [], attributes={"i": 3, "s": b"x", "n": (1, 2), "f": (0.5,)})
    assert (integer(node, "i", 7), word(node, "s", b""), integers(node, "n"), entries(node, "f")) == (
        3,
        b"x",
        (1, 2),
        (0.5,),
    )


@pytest.mark.parametrize("value", [0.5, (1,), b"1", object(), None])
def test_another_kind_is_no_integer(value):
    assert integer(Node("Op", [], [], attributes={"i": value}), "i", 7) == 7


@pytest.mark.parametrize("value", [1, (0.5,), (1, b"x"), b"1", object(), None])
def test_another_kind_is_no_list_of_integers(value):
    assert integers(Node("Op", [], [], attributes={"n": value}), "n") == ()


@pytest.mark.parametrize("value", [1, "text", (b"x",), None])
def test_another_kind_is_no_word(value):
    assert word(Node("Op", [], [], attributes={"s": value}), "s", b"default") == b"default"


@pytest.mark.parametrize("value", [1, b"x", None])
def test_another_kind_is_no_list(value):
    assert entries(Node("Op", [], [], attributes={"f": value}), "f") == ()
