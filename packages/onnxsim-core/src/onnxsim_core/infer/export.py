"""Telling onnx about the operators of other domains known here, so that its checker and inference take them."""

from __future__ import annotations

import atexit
from typing import Any

from ..ir.graph import Graph, Model, Node, Value
from ..ir.read import Reader
from ..ir.write import Writer
from ..ops.signatures import SIGNATURES, Signature
from .engine import Inference
from .registered import KNOWN, Key, key_of

KINDS = {"i": "INT", "f": "FLOAT", "s": "STRING", "t": "TENSOR", "I": "INTS", "F": "FLOATS", "S": "STRINGS"}


def export_onnx_schemas() -> int:
    """Register schemas for the operators of com.microsoft, mmdeploy, mmcv and QONNX that are known here.

    An operator that onnx has a schema for already keeps it. Gives how many were registered.
    """
    from onnx import defs

    from .. import ops

    ops.load()
    made: list[Key] = []
    for domain, operators in SIGNATURES.items():
        for op_type, signature in operators.items():
            if not defs.has(op_type, domain):
                schema = schema_of(domain, op_type, signature)
                defs.register_schema(schema)
                made.append(key_of(schema))
    if made:
        KNOWN.update(made)
        atexit.register(withdraw, made)
    return len(made)


def withdraw(keys: list[Key]) -> None:
    """Deregister those of the schemas that are still there.

    At the end of the process, because onnx 1.20 crashes when it frees an inference function after the interpreter.
    """
    from onnx import defs

    for domain, op_type, version in keys:
        if defs.has(op_type, version, domain):
            defs.deregister_schema(op_type, version, domain)


def schema_of(domain: str, op_type: str, signature: Signature) -> Any:
    """A schema that takes any type everywhere and infers by the rule that is registered here."""
    from onnx import defs

    inputs, outputs, attributes = signature
    schema = defs.OpSchema(
        op_type, domain, 1, "Known to onnxsim.",
        inputs=_parameters("X", inputs), outputs=_parameters("Y", outputs),
        type_constraints=[(f"T{side}{place}", _all_types(), "any type")
                          for side, letters in (("X", inputs), ("Y", outputs)) for place in range(len(letters))],
        attributes=[_attribute(*text.split(":")) for text in attributes.split()])
    names = [text.split(":")[0] for text in attributes.split()]
    schema.set_type_and_shape_inference_function(lambda ctx: infer_alone(ctx, domain, op_type, names))
    return schema


def _parameters(side: str, letters: str) -> list[Any]:
    from onnx import defs

    option = defs.OpSchema.FormalParameterOption
    options = {"S": option.Single, "O": option.Optional, "V": option.Variadic}
    return [defs.OpSchema.FormalParameter(f"{side}{place}", f"T{side}{place}", param_option=options[letter],
                                          is_homogeneous=False) for place, letter in enumerate(letters)]


def _attribute(name: str, kind: str) -> Any:
    from onnx import defs

    return defs.OpSchema.Attribute(name, getattr(defs.OpSchema.AttrType, KINDS[kind]), required=False)


def _all_types() -> list[str]:
    from onnx import defs

    found = {text for one in defs.get_schema("Identity").type_constraints for text in one.allowed_type_strs}
    return sorted(found)


def infer_alone(ctx: Any, domain: str, op_type: str, names: list[str]) -> None:
    """The inference function of a schema: the rule that is registered here, asked about one node."""
    from onnx import NodeProto, TypeProto

    from ..ops.registry import SHAPES

    rule = SHAPES.table({domain: 1})[domain, op_type]
    if rule is None:
        return
    proto = NodeProto(op_type=op_type, domain=domain)
    proto.input.extend(f"x{place}" if ctx.has_input(place) else "" for place in range(ctx.get_num_inputs()))
    proto.output.extend(f"y{place}" for place in range(ctx.get_num_outputs()))
    for name in names:
        attribute = ctx.get_attribute(name)
        if attribute is not None:
            proto.attribute.append(attribute)
    node, model = _node(proto, ctx, domain)
    rule(node, Inference(model))
    writer = Writer(model)
    for place, value in enumerate(node.outputs):
        if value.dtype:
            ctx.set_output_type(place, TypeProto.FromString(writer.type(value)))


def _node(proto: Any, ctx: Any, domain: str) -> tuple[Node, Model]:
    """The node in a model of its own, with what onnx knows of its inputs."""
    from onnx import ModelProto, defs

    reader = Reader(ModelProto())
    model = reader.model
    model.opsets = {"": defs.onnx_opset_version(), domain: 1}
    model.graph = graph = Graph(model)
    node = Node(proto.op_type, [], [], domain=domain, proto=proto)
    graph.append(node)
    for place, name in enumerate(proto.input):
        if not name:
            node.inputs.append(None)
            continue
        value = Value(name, graph)
        kind = ctx.get_input_type(place)
        if kind is not None:
            reader.declared_type(value, kind)
        data = ctx.get_input_data(place)
        if data is not None:
            value.tensor = reader.tensor(data)
        node.inputs.append(value)
    for name in proto.output:
        value = Value(name, graph)
        value.node = node
        node.outputs.append(value)
    return node, model
