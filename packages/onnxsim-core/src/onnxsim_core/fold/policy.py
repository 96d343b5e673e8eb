"""Which nodes may fold at all, and which results may be stored.

A constant that a fold would create is weighed against what dies with it, so that folding does not make the file grow beyond
`limit` bytes a result.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.dtypes import BITS
from ..ir.graph import Node, Value

NONDETERMINISTIC = frozenset({
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial",
})
QUANTIZERS = frozenset({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"})
GENERATORS = frozenset({"ConstantOfShape", "Expand", "Tile", "Range", "EyeLike", "OneHot", "Pad", "Resize", "Upsample"})
"""Operators whose result can be far larger than what it is made from."""
MEBIBYTE = 1 << 20


def is_deterministic(node: Node) -> bool:
    """Does the node give the same result every time? Source: ONNX schema `deterministic`, training modes."""
    op_type = node.op_type
    if node.domain or op_type in NONDETERMINISTIC:
        return False
    if op_type == "Dropout":
        return not runs_dropout_training(node)
    if op_type == "BatchNormalization":
        return not node.attribute("training_mode", 0) and len(node.outputs) == 1
    return not any(not is_deterministic(inner) for body in (node.bodies or {}).values() for inner in body)


def runs_dropout_training(node: Node) -> bool:
    """Dropout-12 drops when its third input is not known to be false; Dropout-1/6 when `is_test` is 0 (default)."""
    mode = node.input(2)
    if mode is None:
        return False
    return not mode.is_constant or bool(mode.tensor.numpy().reshape(-1)[0])  # type: ignore[union-attr]


def weight_bytes(value: Value) -> int:
    """Bytes a constant takes in the file: none while a node still generates it."""
    return value.tensor.nbytes if value.tensor is not None and value.node is None else 0


def value_bytes(value: Value) -> int:
    """Bytes a value takes in memory as far as its type and sizes are known, else 0."""
    if value.tensor is not None:
        return value.tensor.nbytes
    bits = BITS.get(value.dtype, 0)
    for size in value.shape or ():
        if type(size) is not int:
            return 0
        bits *= size
    return bits >> 3 if value.shape is not None else 0


def credit(node: Node | None, constants: Sequence[Value | None]) -> int:
    """Bytes of the given constants that nobody but `node` reads, so that they leave the file with it."""
    total = 0
    for value in set(constants):
        if value is None or value.outputs or any(user is not node for user in value.uses):
            continue
        total += weight_bytes(value)
    return total
