"""Which nodes may fold at all, and which results may be stored.

A constant that a fold would create is weighed against what dies with it, so that folding does not make the file grow:
not by more than `limit` bytes a result, and not by more than `budget` bytes in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.dtypes import BITS
from ..ir.graph import Model, Node, Value

NONDETERMINISTIC = frozenset({
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial",
})
QUANTIZERS = frozenset({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"})
GENERATORS = frozenset({"ConstantOfShape", "Expand", "Tile", "Range", "EyeLike", "OneHot", "Pad", "Resize", "Upsample"})
"""Operators whose result can be far larger than what it is made from."""
MEBIBYTE = 1 << 20
FREE = 1024
"""Growth up to this many bytes is never counted against a fold."""
MIN_BUDGET = 8 << 10
MAX_CREDITED = 64
"""How many nodes are looked at to see what else dies with one."""


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
    """Dropout-12 drops when its third input is not known to be false; onnxruntime never drops in an older one."""
    mode = node.input(2)
    if mode is None:
        return False
    return not mode.is_constant or bool(mode.tensor.numpy().any())  # type: ignore[union-attr]


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


def credit(node: Node) -> int:
    """Bytes of stored constants that leave the file when `node` is replaced by its result.

    A constant leaves when all its readers go: the node itself, and nodes that only generate inputs of it.
    """
    going = {node}
    stored: set[Value] = set()
    waiting = [node]
    while waiting and len(going) < MAX_CREDITED:
        for value in waiting.pop().inputs:
            if value is None or value.outputs or value.tensor is None:
                continue
            producer = value.node
            if producer is None:
                stored.add(value)
            elif producer not in going and all(user in going for user in value.uses):
                going.add(producer)
                waiting.append(producer)
    return sum(value.tensor.nbytes for value in stored  # type: ignore[union-attr, misc]
               if not value.is_input and all(user in going for user in value.uses))


class SizePolicy:
    """How many bytes folding and value-baking rules may add to the file.

    A result that replaces at least as many bytes is always stored. Growth is stored up to `limit` a result while the
    sum stays within `budget`. Results of generators are stored up to `generator_limit`, since a node says them shorter.
    """

    __slots__ = ("limit", "generator_limit", "budget", "grown")

    def __init__(self, limit: int, generator_limit: int, budget: int | None) -> None:
        self.limit = limit
        self.generator_limit = generator_limit
        self.budget = budget
        self.grown = 0

    @classmethod
    def for_model(cls, model: Model) -> SizePolicy:
        """The default: 1 MiB a result, 1 KiB for generators, in all a fifth of the weights or 8 KiB."""
        weights = sum(v.tensor.nbytes for graph in model.graphs() for v in graph.constants if v.tensor is not None)
        return cls(MEBIBYTE, FREE, max(MIN_BUDGET, weights // 5))

    @classmethod
    def with_threshold(cls, limit: int) -> SizePolicy:
        """What the user asked for with a tensor size threshold: any result up to it, whatever it adds up to."""
        return cls(limit, limit, None)

    def may_store(self, node: Node, size: int) -> bool:
        """May this node's result of `size` bytes become a stored constant?"""
        generator = node.op_type in GENERATORS
        if size <= (min(FREE, self.generator_limit) if generator else min(FREE, self.limit)):
            return True
        growth = size - credit(node)
        if growth <= 0:
            return True
        if generator:
            return size <= self.generator_limit
        return self._may_grow(growth)

    def allows_growth(self, size: int, replaced: Sequence[Value]) -> bool:
        """May a rule store `size` bytes in place of these constants? What is allowed counts as spent."""
        growth = size
        for value in replaced:
            if len(value.uses) == 1 and not value.outputs:
                growth -= weight_bytes(value)
        if growth <= FREE:
            return True
        if not self._may_grow(growth):
            return False
        self.spend(growth)
        return True

    def _may_grow(self, growth: int) -> bool:
        return growth <= self.limit and (self.budget is None or self.grown + growth <= self.budget)

    def spend(self, growth: int) -> None:
        self.grown += growth


def is_trap(value: Value, array: Any) -> bool:
    """Is this an integer divisor holding a zero?

    onnxruntime refuses to load a model with such a constant, even where the division never runs.
    """
    if array.dtype.kind not in "iu":
        return False
    for user in value.uses:
        if user.op_type in ("Div", "Mod") and user.input(1) is value:
            return not array.all()
    return False
