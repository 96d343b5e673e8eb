"""Writing an operator out by the function that its schema defines it with."""

from __future__ import annotations

from typing import Any

from ..functions.body import Body
from ..functions.inline import expand
from ..infer.tail import Call
from ..ir.graph import Node, Value
from ..ops.registry import SHAPES
from ..rewrite.builder import Builder
from .history import attribute_defaults, schema_of

WRITTEN_OUT = frozenset({("GroupNormalization", 21)})
"""Operators whose version before means something else that cannot say the same."""


def expand_by_schema(node: Node, op: Builder, version: int, target: int) -> tuple[tuple[Value, ...], int] | None:
    """The nodes that define the operator as of `version`, for the newest operator set up to `target` there is.

    Gives the values and that operator set; None when ONNX does not define it by others, or the types of its inputs are
    not known.
    Source: ONNX operator schemas, "Function body".
    """
    proto = definition(node, op, version, target)
    if proto is None:
        return None
    body = Body(proto, op.model)
    level = body.model.opset()
    op.ctx.table = SHAPES.table({**op.model.opsets, "": level})
    given = {name: value for name, value in attribute_defaults(node.op_type, version).items() if value is not None}
    attributes = node._attributes
    node._attributes = {**given, **node.attributes}
    try:
        return expand(node, op, body), level
    finally:
        node._attributes = attributes


def definition(node: Node, op: Builder, version: int, target: int) -> Any:
    """The FunctionProto of the operator for this node, or None."""
    from onnx import FunctionProto

    schema = schema_of(node.op_type, version)
    fixed, dependent = schema.function_opset_versions, schema.context_dependent_function_opset_versions
    known = sorted({*fixed, *dependent})
    if not known:
        return None
    chosen = max((one for one in known if one <= target), default=known[0])
    if chosen in fixed:
        data = schema.get_function_with_opset_version(chosen)
    else:
        call = Call(node, op.ctx)
        if not call.is_complete:
            return None
        types = [call.types[name].SerializeToString() if name else b"" for name in call.proto.input]
        data = schema.get_context_dependent_function_with_opset_version(
            chosen, call.proto.SerializeToString(), types)
    if not data:
        return None
    proto = FunctionProto.FromString(data)
    if not any(entry.domain in ("", "ai.onnx") for entry in proto.opset_import):
        proto.opset_import.add(domain="", version=chosen)
    made = {name for inner in proto.node for name in inner.output} | set(proto.input)
    while proto.output and proto.output[-1] not in made:
        del proto.output[-1]  # the definition for a call leaves out what the call does not ask for
    return proto if made.issuperset(proto.output) else None
