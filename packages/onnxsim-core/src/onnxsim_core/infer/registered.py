"""Schemas that users register with onnx, in place of and beside those it brings."""

from __future__ import annotations

from typing import Any

Key = tuple[str, str, int]

KNOWN: set[Key] = set()
"""Registered schemas that were imported by name, exported from here, or counted before."""


def is_registered(schema: Any) -> bool:
    """Was the schema registered by `onnx.defs.register_schema`, so that it is not onnx's own?"""
    return not schema.line


def key_of(schema: Any) -> Key:
    """Domain, name and version."""
    return schema.domain, schema.name, schema.since_version


def import_onnx_schemas() -> int:
    """Take note of the schemas that were registered with `onnx.defs.register_schema`; gives how many are new.

    `simplify` asks every registered schema about its operator anyway. With `import_custom_schemas=False` it asks only
    those that were imported here before.
    """
    from onnx import defs

    found = {key_of(schema) for schema in defs.get_all_schemas_with_history() if is_registered(schema)}
    new = found - KNOWN
    KNOWN.update(new)
    return len(new)
