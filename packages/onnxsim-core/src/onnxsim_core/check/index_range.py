"""How large the integers of an input may be: an index fed to Gather, an embedding or OneHot must be in range."""

from __future__ import annotations

from ..ir.graph import Model, Node, Value

PASS_ON = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Flatten", "Slice", "Expand",
                     "Split", "Tile", "Relu", "Abs"})
"""Operators whose integer result holds elements of their first input."""
MIX = frozenset({"Concat", "Where", "Clip", "Max", "Min"})
"""Operators whose integer result holds elements of any input."""
TABLES = {("GatherBlockQuantized", 1): 0, ("EmbedLayerNormalization", 0): 2, ("EmbedLayerNormalization", 1): 4,
          ("EmbedLayerNormalization", 8): 3}
"""Of contrib operators, by the place of the indices: the place of the table."""
INDEXED = {"Gather": ("axis", 0), "GatherElements": ("axis", 0), "ScatterElements": ("axis", 0), "Scatter": ("axis", 0)}


def index_limits(model: Model) -> dict[Value, int]:
    """For each integer input that ends up as an index, the number of elements it may point at."""
    limits: dict[Value, int] = {}
    for value in model.graph.inputs:
        limit = _limit(value)
        if limit is not None:
            limits[value] = limit
    return limits


def _limit(start: Value) -> int | None:
    best: int | None = None
    seen: set[Value] = set()
    todo = [start]
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        for node in value.uses:
            found = _at(node, value)
            if found is not None:
                best = found if best is None else min(best, found)
            elif not node.domain and (node.op_type in MIX or node.op_type in PASS_ON and node.inputs[0] is value):
                todo += node.outputs
    return best


def _at(node: Node, value: Value) -> int | None:
    if node.domain:
        return _embedding(node, value)
    inputs = node.inputs
    if node.op_type in INDEXED and len(inputs) > 1 and inputs[1] is value and inputs[0] is not None:
        shape = inputs[0].shape
        name, default = INDEXED[node.op_type]
        axis = node.attribute(name, default)
        return _number(shape[axis]) if shape is not None and -len(shape) <= axis < len(shape) else None
    if node.op_type in ("GatherND", "ScatterND") and len(inputs) > 1 and inputs[1] is value and inputs[0] is not None:
        known = [size for size in inputs[0].shape or () if isinstance(size, int)]
        return min(known, default=None)
    return None


def _embedding(node: Node, value: Value) -> int | None:
    """com.microsoft.EmbedLayerNormalization and GatherBlockQuantized index their tables."""
    for place, other in enumerate(node.inputs):
        where = TABLES.get((node.op_type, place)) if other is value else None
        table = None if where is None else node.input(where)
        if table is not None and table.shape:
            return _number(table.shape[0])
    return None


def _number(size: object) -> int | None:
    return size if isinstance(size, int) and size > 0 else None
