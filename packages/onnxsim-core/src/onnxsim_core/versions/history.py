"""What operators of the default domain looked like at every version, from the schemas onnx brings."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import Any

from ..infer.registered import is_registered
from ..ir import dtypes
from ..ir.formal import listed_types
from ..ir.graph import Value

OLDEST = 7
"""The oldest operator set that is written; onnxruntime reads none before it."""


@cache
def _schemas() -> dict[str, dict[int, Any]]:
    from onnx import defs

    found: dict[str, dict[int, Any]] = {}
    for schema in defs.get_all_schemas_with_history():
        if not schema.domain and not is_registered(schema):
            found.setdefault(schema.name, {})[schema.since_version] = schema
    return found


@cache
def versions(op_type: str) -> tuple[int, ...]:
    """The versions at which an operator changed, oldest first; empty for one that ONNX does not have."""
    return tuple(sorted(_schemas().get(op_type, ())))


def since(op_type: str, opset: int) -> int:
    """The version of an operator that an operator set has; 0 for none."""
    known = versions(op_type)
    place = bisect_right(known, opset)
    return known[place - 1] if place else 0


def schema_of(op_type: str, version: int) -> Any:
    """The schema of an operator as of one of its versions."""
    return _schemas()[op_type][version]


def is_gone(op_type: str, version: int) -> bool:
    """Does this version take the operator back?"""
    return bool(schema_of(op_type, version).deprecated)


# --- attributes and types --------------------------------------------------------------------------------------------
@cache
def attribute_defaults(op_type: str, version: int) -> dict[str, Any]:
    """Attributes by name with their default; None where there is none."""
    from onnx import helper

    found: dict[str, Any] = {}
    for name, attribute in schema_of(op_type, version).attributes.items():
        default = attribute.default_value
        value = helper.get_attribute_value(default) if default.name else None
        found[name] = tuple(value) if isinstance(value, list) else value
    return found


@cache
def allowed_types(op_type: str, version: int, *, outputs: bool = False) -> tuple[frozenset[str], ...]:
    """The types each formal input (or output) takes."""
    schema = schema_of(op_type, version)
    return tuple(listed_types(one, schema) for one in (schema.outputs if outputs else schema.inputs))


@cache
def arity(op_type: str, version: int) -> tuple[int, int, int]:
    """Fewest and most inputs, and most outputs."""
    schema = schema_of(op_type, version)
    return schema.min_input, schema.max_input, schema.max_output


@cache
def optional_inputs(op_type: str, version: int) -> tuple[bool, ...]:
    """Which formal inputs may be left out."""
    return tuple(one.option.name == "Optional" for one in schema_of(op_type, version).inputs)


def type_text(value: Value) -> str:
    """How schemas write the type of a value; empty when it is not known."""
    if value.dtype:
        return f"tensor({dtypes.name(value.dtype).lower()})"
    return "" if value.type_proto is None else _proto_text(value.type_proto)


def _proto_text(proto: Any) -> str:
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        dtype = proto.tensor_type.elem_type
        return f"tensor({dtypes.name(dtype).lower()})" if dtype else ""
    if kind in ("sequence_type", "optional_type"):
        inner = _proto_text(getattr(proto, kind).elem_type)
        return f"{'seq' if kind == 'sequence_type' else 'optional'}({inner})" if inner else ""
    return ""
