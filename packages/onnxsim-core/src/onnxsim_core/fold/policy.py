"""Which nodes may fold at all, and which results may be stored.

A constant that a fold would create is weighed against what dies with it, so that folding does not make the file grow by
more than it is worth.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..ir.dtypes import BITS
from ..ir.graph import Model, Node, Value

NONDETERMINISTIC = frozenset({
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial",
})
QUANTIZERS = frozenset({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"})
GENERATORS = frozenset({"ConstantOfShape", "Expand", "Tile", "Range", "EyeLike", "OneHot", "Pad", "Resize", "Upsample"})
"""Operators whose result can be far larger than what it is made from."""
PRODUCTS = frozenset({"MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum"})
"""Operators whose result is no copy of a weight, but worth keeping: positions times a projection that others read too."""
MEBIBYTE = 1 << 20
FREE = 1024
"""Growth up to this many bytes is never counted against a fold."""
MOST_COPIED = 8 << 10
MOST_GROWN = 256 << 20
UNLIMITED = 1 << 62
MAX_CREDITED = 64
"""How many nodes are looked at to see what else dies with one; a constant with twice as many readers is taken to stay."""


def is_deterministic(node: Node) -> bool:
    """Does the node give the same result every time? Source: ONNX schema `deterministic`, training modes."""
    op_type = node.op_type
    if node.domain or op_type in NONDETERMINISTIC:
        return False
    if op_type == "Dropout":
        return not runs_dropout_training(node)
    if op_type == "BatchNormalization":
        return not node.attribute("training_mode", 0) if len(node.outputs) == 1 else trains_batch_normalization(node)
    return not any(not is_deterministic(inner) for body in (node.bodies or {}).values() for inner in body)


def trains_batch_normalization(node: Node) -> bool:
    """Does BatchNormalization give its statistics in one of the two forms that onnxruntime runs and agrees about?

    From opset 14 on three outputs in training mode, before that five. The last of five is the variance by the standard
    and the inverse deviation by onnxruntime, which ends the process where a middle one is left out.
    """
    outputs = node.outputs
    if len(outputs) != (3 if node.attribute("training_mode", 0) else 5) or not all(value.name for value in outputs):
        return False
    return all(value.is_dead for value in outputs[3:])


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


class Ledger(NamedTuple):
    """What a fold takes from the file: bytes of stored constants that leave it; and whether it `copies` a weight.

    That is when its result is more than half as large as a weight that stays, or is a wider form of one.
    """

    credit: int
    copies: bool


def ledger(node: Node, result: int, made: Container[Value] = ()) -> Ledger:
    """Account for replacing `node` by its result of so many bytes; constants in `made` are results of earlier folds.

    A constant leaves when all its readers go: the node itself, and nodes that only generate inputs of it. Where others
    read it that can be folded too, each is credited with its share.
    """
    going = {node}
    stored: set[Value] = set()
    waiting = [node]
    while waiting and len(going) < MAX_CREDITED:
        for value in waiting.pop().inputs:
            if value is None or value.tensor is None:
                continue
            producer = value.node
            if producer is None:
                stored.add(value)
            elif not value.outputs and producer not in going and all(user in going for user in value.uses):
                going.add(producer)
                waiting.append(producer)
    total, copies = 0, False
    for value in stored:
        size = value.tensor.nbytes  # type: ignore[union-attr]
        weight = FREE < size < 2 * result and value not in made
        if not value.is_input and not value.outputs and len(value.uses) <= 2 * MAX_CREDITED:
            others = [user for user in value.uses if user not in going]
            if all(_is_foldable(user) for user in others):
                total += size // (1 + len(others))
                weight = weight and node.op_type == "Cast"
        copies = copies or weight
    return Ledger(total, copies and node.op_type not in PRODUCTS)


def _is_foldable(node: Node) -> bool:
    """Is the node sure to be replaced by its results as soon as they may be stored?"""
    if node.op_type in GENERATORS or node.op_type in QUANTIZERS or node.bodies is not None:
        return False
    if not is_deterministic(node):
        return False
    return all(value is None or value.tensor is not None and not value.is_input for value in node.inputs)


@dataclass(slots=True)
class SizePolicy:
    """How many bytes folding and rules that store weights may add to the file.

    A result that replaces at least as many bytes is always stored. One that was computed from little may add up to
    `limit`; a copy of a stored constant that stays, or a wider form of one, up to `copy_limit`. Each is judged by
    itself, so that a run on the result of a run finds nothing more to store; only what no file should grow by, `most`,
    ends that. Results of generators are stored up to `generator_limit`, since a node says them shorter. Rules have a
    `budget`, all of them together.
    """

    limit: int = MEBIBYTE
    copy_limit: int = MOST_COPIED
    generator_limit: int = FREE
    budget: int = MOST_COPIED
    most: int = MOST_GROWN
    grown: int = 0
    spent: int = 0
    made: set[Value] = field(default_factory=set)
    refused: dict[Node, None] = field(default_factory=dict)

    @classmethod
    def for_model(cls, model: Model) -> SizePolicy:
        """The default: 1 MiB a result, 8 KiB a copy, 1 KiB from a generator; for rules a fifth of the weights or 8 KiB."""
        weights = sum(v.tensor.nbytes for graph in model.graphs() for v in graph.constants if v.tensor is not None)
        return cls(budget=max(MOST_COPIED, weights // 5))

    @classmethod
    def with_threshold(cls, limit: int) -> SizePolicy:
        """What the user asked for with a tensor size threshold: any result up to it, whatever it adds up to."""
        return cls(limit, limit, limit, UNLIMITED, UNLIMITED)

    def may_store(self, node: Node, size: int) -> bool:
        """May this node's result of `size` bytes become a stored constant?"""
        generator = node.op_type in GENERATORS
        if size <= (min(FREE, self.generator_limit) if generator else min(FREE, self.limit)):
            return True
        credit, copies = ledger(node, size, self.made)
        growth = size - credit
        if growth <= 0:
            return True
        if generator:
            return size <= self.generator_limit
        if growth <= (self.copy_limit if copies else self.limit) and self.grown + growth <= self.most:
            return True
        self.refused[node] = None
        return False

    def store(self, node: Node, constant: Value) -> None:
        """Note that a constant takes the place of the node's result."""
        size = constant.tensor.nbytes  # type: ignore[union-attr]
        if size > FREE:
            self.made.add(constant)
            self.grown += size - ledger(node, size).credit

    def allows_growth(self, size: int, replaced: Sequence[Value]) -> bool:
        """May a rule store `size` bytes in place of these constants? What is allowed counts as spent."""
        growth = size
        for value in replaced:
            if len(value.uses) == 1 and not value.outputs:
                growth -= weight_bytes(value)
        if growth <= FREE:
            return True
        if growth > self.limit or self.spent + growth > self.budget:
            return False
        self.spent += growth
        return True


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
