"""Operators without a shape rule of their own: one node at a time through onnx's schema inference."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node, Value
from .engine import Inference

SMALL_INPUT = 1024


def infer_by_schema(node: Node, ctx: Inference) -> None:
    """Ask the registered schema's inference function about this node alone; unknown operators stay unknown."""
    import onnx
    from onnx import defs, shape_inference

    version = ctx.model.opset(node.domain)
    if node.bodies or not defs.has(node.op_type, version, node.domain):
        return
    schema = defs.get_schema(node.op_type, version, node.domain)
    if not schema.has_type_and_shape_inference_function:
        return
    types: dict[str, Any] = {}
    data: dict[str, Any] = {}
    for value in node.inputs:
        if value is None:
            continue
        proto = type_proto(value)
        if proto is None:
            return
        types[value.name] = proto
        if value.is_constant and value.tensor.nbytes <= SMALL_INPUT and value.dtype != 8:  # type: ignore[union-attr]
            data[value.name] = onnx.numpy_helper.from_array(value.tensor.numpy(), value.name)  # type: ignore[union-attr]
    try:
        found = shape_inference.infer_node_outputs(schema, node_proto(node), types, data,
                                                   opset_imports=[onnx.helper.make_opsetid(node.domain, version)])
    except (onnx.shape_inference.InferenceError, RuntimeError, ValueError):
        return
    for value in node.outputs:
        proto = found.get(value.name)
        if proto is not None:
            _take(value, proto, ctx)


def _take(value: Value, proto: Any, ctx: Inference) -> None:
    if proto.WhichOneof("value") != "tensor_type":
        if value.type_proto is None and proto.WhichOneof("value"):
            value.type_proto = proto
        return
    tensor = proto.tensor_type
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(d.dim_value if d.HasField("dim_value") else
                      ctx.symbols.named(d.dim_param) if d.dim_param and d.dim_param in ctx.symbols else ctx.fresh()
                      for d in tensor.shape.dim)
    ctx.set(value, tensor.elem_type, shape)


def type_proto(value: Value) -> Any:
    """TypeProto of what is known of a value, or None without a type."""
    from onnx import TypeProto

    if value.type_proto is not None and not value.dtype:
        return value.type_proto
    if not value.dtype:
        return None
    proto = TypeProto()
    proto.tensor_type.elem_type = value.dtype
    if value.shape is not None:
        proto.tensor_type.shape.SetInParent()
        for size in value.shape:
            dim = proto.tensor_type.shape.dim.add()
            if type(size) is int:
                dim.dim_value = size
            else:
                dim.dim_param = str(size)
    return proto


def node_proto(node: Node) -> Any:
    """A NodeProto of the node with its present names, without bodies."""
    from onnx import NodeProto, helper

    if node.proto is not None and node._attributes is None:
        proto = NodeProto()
        proto.attribute.extend(a for a in node.proto.attribute if a.type != 5)
        proto.op_type, proto.domain = node.op_type, node.domain
        proto.input.extend("" if v is None else v.name for v in node.inputs)
        proto.output.extend(v.name for v in node.outputs)
        return proto
    attributes = {k: v for k, v in node.attributes.items()}
    return helper.make_node(node.op_type, ["" if v is None else v.name for v in node.inputs],
                            [v.name for v in node.outputs], domain=node.domain, **attributes)
