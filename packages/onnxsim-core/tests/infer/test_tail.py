"""Operators without a rule go through their schema, one at a time and without harm."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import defs, helper

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.infer.tail import infer_by_schema
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.registry import SHAPES
from onnxsim_testkit import model

ops.load()
DOMAIN = "test.tail"


def infer(proto: onnx.ModelProto) -> Inference:
    ctx = Inference(read_model(proto.SerializeToString()), tail=infer_by_schema)
    ctx.walk(ctx.model.graph)
    before = [(v.dtype, v.shape, v.type_proto) for node in ctx.model.graph for v in node.outputs]
    ctx.walk(ctx.model.graph)
    assert [(v.dtype, v.shape, v.type_proto) for node in ctx.model.graph for v in node.outputs] == before
    return ctx


def custom(nodes: str, signature: str = "float[n,4] x", **initializers: Any) -> Inference:
    return infer(model(f"g ({signature}) => () {{ {nodes} }}", domains={DOMAIN: 2}, initializers=initializers))


def shapes(ctx: Inference) -> list[str]:
    return [str([str(s) for s in v.shape]) if v.shape is not None else "?"
            for node in ctx.model.graph for v in node.outputs]  # fmt: skip


@pytest.fixture
def schema() -> Iterator[Callable[..., None]]:
    """Registers an operator of two inputs and two outputs with this inference function."""
    made = []

    def register(name: str, function: Callable[[Any], None] | None, version: int = 1) -> None:
        made.append((name, version))
        parameter, option = defs.OpSchema.FormalParameter, defs.OpSchema.FormalParameterOption.Optional
        parameters = {
            "inputs": [parameter("x", "T"), parameter("z", "T", param_option=option)],
            "outputs": [parameter("y", "U"), parameter("w", "U", param_option=option)],
            "type_constraints": [
                ("T", ["tensor(float)", "tensor(int64)"], ""),
                ("U", ["tensor(float)", "seq(tensor(float))"], ""),
            ],
            "attributes": [defs.OpSchema.Attribute("k", defs.OpSchema.AttrType.INT, "", required=False)],
        }
        found = defs.OpSchema(name, DOMAIN, version, **parameters)
        if function is not None:
            found.set_type_and_shape_inference_function(function)
        defs.register_schema(found)

    yield register
    for name, version in made:
        defs.deregister_schema(name, version, DOMAIN)


def output(ctx: Any, index: int, *sizes: int | str | None) -> None:
    """Set an output to a float tensor of these sizes."""
    shape = [helper.make_tensor_value_info("", 1, [size]).type.tensor_type.shape.dim[0] for size in sizes]
    proto = onnx.TypeProto()
    proto.tensor_type.elem_type = 1
    proto.tensor_type.shape.SetInParent()
    proto.tensor_type.shape.dim.extend(shape)
    ctx.set_output_type(index, proto)


def test_a_registered_schema_with_a_python_function_is_asked(schema):
    def double(ctx: Any) -> None:
        first = ctx.get_input_type(0).tensor_type.shape.dim
        output(ctx, 0, first[0].dim_param, first[1].dim_value * 2)

    schema("Double", double)
    ctx = custom(f"y = {DOMAIN}.Double(x) z = {DOMAIN}.Double(y)")
    assert shapes(ctx) == ["['n', '8']", "['n', '16']"]
    assert ctx.model.graph.first.outputs[0].shape[0] is ctx.model.graph.inputs[0].shape[0]


def test_a_formula_passes_through_and_comes_back(schema):
    def same(ctx: Any) -> None:
        ctx.set_output_type(0, ctx.get_input_type(0))

    schema("Same", same)
    ctx = custom(f"c = Concat<axis = 0>(x, x) y = {DOMAIN}.Same(c)")
    assert shapes(ctx) == ["['2*n', '4']", "['2*n', '4']"]


def test_a_symbol_that_looks_like_a_formula_is_not_mixed_up_with_it(schema):
    def second(ctx: Any) -> None:
        ctx.set_output_type(0, ctx.get_input_type(1))

    schema("Second", second)
    proto = model(f"g (float[n,4] x, float[k,4] w) => () {{ c = Concat<axis = 0>(x, x) y = {DOMAIN}.Second(c, w) }}",
                  domains={DOMAIN: 1})  # fmt: skip
    proto.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "2*n"
    ctx = infer(proto)
    concat, custom_node = list(ctx.model.graph)
    assert custom_node.outputs[0].shape == ctx.model.graph.inputs[1].shape
    assert custom_node.outputs[0].shape != concat.outputs[0].shape


def test_a_new_name_is_one_new_size_for_the_whole_node(schema):
    def invent(ctx: Any) -> None:
        output(ctx, 0, "made_up", None)
        output(ctx, 1, "made_up", 3)

    schema("Invent", invent)
    y, w = next(iter(custom(f"y, w = {DOMAIN}.Invent(x)").model.graph)).outputs
    assert y.shape[0] == w.shape[0]
    assert y.shape[1] not in (y.shape[0], 4)


def test_a_name_of_the_model_means_the_models_size(schema):
    schema("Named", lambda ctx: output(ctx, 0, "n"))
    ctx = custom(f"y = {DOMAIN}.Named(x)")
    assert ctx.model.graph.first.outputs[0].shape == (ctx.model.symbols.named("n"),)


def test_negative_sizes_are_unknown_ones(schema):
    schema("Negative", lambda ctx: output(ctx, 0, -1, 3))
    first, second = custom(f"y = {DOMAIN}.Negative(x)").model.graph.first.outputs[0].shape
    assert not isinstance(first, int)
    assert second == 3


def test_small_constants_are_shown_and_large_ones_are_not(schema):
    def by_value(ctx: Any) -> None:
        data = ctx.get_input_data(1)
        sizes = onnx.numpy_helper.to_array(data).tolist() if data is not None else [7]
        output(ctx, 0, *sizes)

    schema("ByValue", by_value)
    small = custom(f"y = {DOMAIN}.ByValue(x, s)", "int64[n] x", s=np.array([2, 5]))
    assert shapes(small) == ["['2', '5']"]
    large = custom(f"y = {DOMAIN}.ByValue(x, s)", "int64[n] x", s=np.ones(1000, np.int64))
    assert shapes(large) == ["['7']"]


def test_attributes_are_shown(schema):
    schema("Attributed", lambda ctx: output(ctx, 0, ctx.get_attribute("k").i))
    assert shapes(custom(f"y = {DOMAIN}.Attributed<k = 9>(x)")) == ["['9']"]


@pytest.mark.parametrize(
    "error", [KeyError, ValueError, RuntimeError, ZeroDivisionError, onnx.shape_inference.InferenceError]
)
def test_a_function_that_fails_leaves_the_node_unknown(schema, error):
    def fail(ctx: Any) -> None:
        raise error("no")

    schema("Fail", fail)
    assert shapes(custom(f"y = {DOMAIN}.Fail(x)")) == ["?"]


def test_the_version_in_force_is_asked(schema):
    schema("Versioned", lambda ctx: output(ctx, 0, 1), version=1)
    schema("Versioned", lambda ctx: output(ctx, 0, 2), version=2)
    assert shapes(custom(f"y = {DOMAIN}.Versioned(x)")) == ["['2']"]


def test_schemas_without_a_function_and_unknown_operators_stay_unknown(schema):
    schema("Mute", None)
    assert shapes(custom(f"y = {DOMAIN}.Mute(x) z = {DOMAIN}.Unheard(x)")) == ["?", "?"]


def test_an_input_without_a_type_keeps_the_node_unknown(schema):
    schema("Same", lambda ctx: output(ctx, 0, 1))
    assert shapes(custom(f"u = {DOMAIN}.Unheard(x) y = {DOMAIN}.Same(u)")) == ["?", "?"]


def test_a_value_read_twice_and_omitted_ones_are_fine(schema):
    def count(ctx: Any) -> None:
        output(ctx, 0, ctx.get_num_inputs(), ctx.get_num_outputs())

    schema("Count", count)
    assert shapes(custom(f"y = {DOMAIN}.Count(x, x)")) == ["['2', '1']"]
    assert shapes(custom(f"y = {DOMAIN}.Count(x, )")) in (["['2', '1']"], ["['1', '1']"])


def test_a_local_function_hides_the_schema(schema):
    schema("Hidden", lambda ctx: output(ctx, 0, 1))
    head = f'<ir_version: 10, opset_import: ["" : 21, "{DOMAIN}" : 1]>'
    body = f"g (float[n,4] x) => () {{ y = {DOMAIN}.Hidden(x) }}"
    function = f'<domain: "{DOMAIN}", opset_import: ["" : 21]> Hidden (a) => (b) {{ b = Concat<axis = 0>(a, a) }}'
    assert shapes(infer(model(f"{head} {body} {function}"))) == ["?"]
    assert shapes(infer(model(f"{head} {body}"))) == ["['1']"]


def test_a_type_that_is_no_tensor_is_kept(schema):
    def listed(ctx: Any) -> None:
        proto = onnx.TypeProto()
        proto.sequence_type.elem_type.tensor_type.elem_type = 1
        ctx.set_output_type(0, proto)

    schema("Listed", listed)
    value = custom(f"y = {DOMAIN}.Listed(x)").model.graph.first.outputs[0]
    assert value.type_proto.sequence_type.elem_type.tensor_type.elem_type == 1
    assert (value.dtype, value.shape) == (0, None)


def test_a_tensor_attribute_that_was_replaced_is_written(schema):
    schema("Same", lambda ctx: output(ctx, 0, ctx.get_attribute("k").i))
    proto = model(f"g (float[n,4] x) => () {{ y = {DOMAIN}.Same(x) }}", domains={DOMAIN: 1})
    ir = read_model(proto.SerializeToString())
    ir.graph.first._attributes = {"k": 6}
    ctx = Inference(ir, tail=infer_by_schema)
    ctx.walk(ir.graph)
    assert shapes(ctx) == ["['6']"]


def all_operators() -> list[Any]:
    known = {(domain, op) for domain, op, _ in SHAPES.registered()}
    return [s for s in defs.get_all_schemas() if s.domain in ("", "ai.onnx.ml") and (s.domain, s.name) not in known]


@pytest.mark.parametrize("count", [0, 1, 2, 9])
@pytest.mark.parametrize("type_text", ["float[n]", "int64[]", "string[2,3]", "float[1,2,3,4]"])
def test_malformed_nodes_of_the_remaining_operators_do_no_harm(count, type_text):
    for found in all_operators():
        inputs = ", ".join(["x"] * count)
        prefix = f"{found.domain}." if found.domain else ""
        text = f"g ({type_text} x) => () {{ y, z, w = {prefix}{found.name}({inputs}) }}"
        ctx = infer(model(text, opset=found.since_version if not found.domain else 21, domains={"ai.onnx.ml": 3}))
        assert len(ctx.model.graph) == 1


def test_the_remaining_operators_are_few():
    """What is left to the schema should be rare: a rule is faster, and follows onnxruntime."""
    assert len(all_operators()) < 10
