"""Schemas that users registered."""

import onnx
import pytest
from onnx import TypeProto, defs

from onnxsim_core import import_onnx_schemas, simplify
from onnxsim_core.infer.registered import KNOWN, is_registered, key_of

DOMAIN = "test.registered"


def doubled(ctx):
    kind = TypeProto()
    kind.CopyFrom(ctx.get_input_type(0))
    kind.tensor_type.shape.dim[0].dim_value *= 2
    ctx.set_output_type(0, kind)


@pytest.fixture
def schema():
    import_onnx_schemas()
    parameter = defs.OpSchema.FormalParameter
    made = defs.OpSchema("Twice", DOMAIN, 1, inputs=[parameter("x", "T")], outputs=[parameter("y", "T")],
                         type_constraints=[("T", ["tensor(float)"], "")])
    made.set_type_and_shape_inference_function(doubled)
    defs.register_schema(made)
    yield made
    defs.deregister_schema("Twice", 1, DOMAIN)
    KNOWN.discard(key_of(made))


MODEL = f'<ir_version: 8, opset_import: ["" : 18, "{DOMAIN}" : 1]> g (float[3] x) => (int64[1] y) ' \
        f"{{ t = {DOMAIN}.Twice(x) y = Shape(t) }}"


def ops(**options):
    return [node.op_type for node in simplify(onnx.parser.parse_model(MODEL), **options).model.graph.node]


def test_their_inference_functions_are_asked(schema):
    assert ops() == []  # the size of what Twice gives is known, so nothing needs it any more


def test_unless_they_are_not_to_be_imported(schema):
    assert ops(import_custom_schemas=False) == ["Twice", "Shape"]


def test_importing_counts_what_is_new_and_makes_it_known(schema):
    assert import_onnx_schemas() == 1 and import_onnx_schemas() == 0
    assert ops(import_custom_schemas=False) == []


def test_schemas_of_onnx_are_asked_in_any_case():
    """IsInf has no rule of its own that would know better; its schema is onnx's."""
    assert is_registered(defs.OpSchema("Any", DOMAIN, 1)) and not is_registered(defs.get_schema("Det"))
    text = "g (float[2,3,3] x) => (int64[1] y) { t = Det(x) y = Shape(t) }"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {text}')
    assert not simplify(model, import_custom_schemas=False).model.graph.node
