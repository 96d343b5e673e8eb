"""Which nodes fold, with what, and when.

Small results are stored at once. A large result of a node that blows its inputs up (Expand, Tile, ConstantOfShape...)
is only *known*: the value carries its numbers for those who can use them, the node stays until nobody reads it. What
has no kernel here is gathered and run in one runtime session at the end of a round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..infer.engine import DATA_LIMIT, Inference
from ..ir.dtypes import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, nbytes, numpy_dtype
from ..ir.formal import form
from ..ir.graph import Node, Value
from ..ir.tensors import MOST_STEPS, ArrayTensor, DeferredTensor, Tensor, deferred
from ..ops.registry import KERNELS
from . import policy
from .effort import Effort
from .origins import Origins

KNOWN_LIMIT = 64 << 20
"""Largest generated result that is computed just to be known."""
DEFER_FROM = 1 << 20
"""Results from this size on are computed when they are written, one at a time."""
MOVERS = frozenset({"Transpose", "Concat", "Slice", "Split"})
ARITHMETIC = frozenset({"Cast", "Mul", "Add", "Sub", "Div", "Neg"})
REALS = frozenset({FLOAT, FLOAT16, DOUBLE, BFLOAT16})
ALIASES = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Dropout"})
"""Operators whose result is their first input's bytes under other dims."""


TOO_LONG = "folding it would take too long"
LONGEST = 1 << 31
"""An array without elements may state an axis of any length, which numpy does not bear in every type."""
_MOST = {INT64: 1 << 63, INT32: 1 << 31, BOOL: 1 << 1}
"""Elements of these types lie between this, negated, and this."""


class Folder:
    """Folds nodes of one model under one set of options. `origins` is set where initializers are no constants."""

    __slots__ = ("ctx", "table", "sizes", "pending", "refused", "effort", "origins")

    def __init__(self, ctx: Inference, sizes: policy.SizePolicy | None = None) -> None:
        self.ctx = ctx
        self.table = KERNELS.table(ctx.model.opsets)
        self.sizes = sizes or policy.SizePolicy.for_model(ctx.model)
        self.pending: dict[Node, None] = {}
        self.refused: dict[Node, str] = {}
        self.effort = Effort(ctx.model)
        self.origins: Origins | None = None

    # --- one node --------------------------------------------------------------------------------------------------
    def fold(self, node: Node) -> Sequence[Value] | None:
        """The constants that replace the node's outputs, or None if it stays (for now)."""
        outputs = node.outputs
        first = outputs[0] if outputs else None
        if first is None or node.domain or self.origins is not None and self.origins.blocks(node):
            return None
        if first.data is not None and len(outputs) == 1 and first.dtype in (INT64, INT32, BOOL):
            found = self._from_data(node, first)
            if found is not None:
                return found
        for value in node.inputs:
            if value is not None and (value.tensor is None or value.is_input):
                return None
        if first.tensor is not None:
            return self._store_known(node, first)
        if node in self.refused or node.op_type in policy.QUANTIZERS or not policy.is_deterministic(node):
            return None
        if not self._is_typed(node):
            self.refused[node] = "the operator does not take inputs of these types or sizes"
            return None
        return self._compute(node)

    def _is_typed(self, node: Node) -> bool:
        """Are the inputs of types that the operator takes, and do they have axes that arrays can have?"""
        for value in node.inputs:
            tensor = None if value is None else value.tensor
            if tensor is not None and not tensor.size and max(tensor.dims) >= LONGEST:
                return False
        known = form(node.op_type, self.ctx.opset)
        return known is None or known.accepts([0 if value is None else value.dtype for value in node.inputs])

    def _from_data(self, node: Node, value: Value) -> Sequence[Value] | None:
        """A value whose elements are all known is a constant, whatever made it."""
        data = value.data
        shape = value.shape
        if shape is None or data is None or value.doubtful:
            return None
        most = _MOST[value.dtype]
        for element in data:
            if type(element) is not int or not -most <= element < most:
                return None
        numel = 1
        for size in shape:
            if type(size) is not int or size < 0:
                return None
            numel *= size
        if numel != len(data) or not policy.is_deterministic(node):
            return None
        import numpy as np

        array = np.array(data, numpy_dtype(value.dtype)).reshape(shape)  # type: ignore[arg-type]
        if policy.is_trap(value, array):
            return None
        return [self.store(node, value, ArrayTensor(array))]

    def _compute(self, node: Node) -> Sequence[Value] | None:
        op_type = node.op_type
        value = node.outputs[0]
        size = self._result_bytes(node)
        is_alias = op_type in ALIASES and node.inputs and len(node.outputs) == 1
        if is_alias and size is not None and value.shape is not None:
            tensor = node.inputs[0].tensor  # type: ignore[union-attr]
            assert tensor is not None
            if self.sizes.may_store(node, size):
                return [self.store(node, value, tensor.reshaped(value.shape))]  # type: ignore[arg-type]
            return None
        kernel = self.table[op_type]
        if size is not None and not self.sizes.may_store(node, size):
            if kernel is not None and size <= KNOWN_LIMIT and _is_deferrable(node):
                self._know(node, value, kernel)
            return None
        if kernel is None and (size is None or size > KNOWN_LIMIT):
            return None
        if size is not None and size >= DEFER_FROM and op_type not in policy.GENERATORS and kernel is not None \
                and _is_deferrable(node):
            # What comes before it is computed then too, and counted already.
            if not self.effort.spend(size):
                self.refused[node] = TOO_LONG
                return None
            return [self.store(node, value, self._deferred(node, value, kernel))]
        if not self.effort.allows(node, size or 0):
            self.refused[node] = TOO_LONG
            return None
        if kernel is None:
            self.pending[node] = None
            return None
        arrays = [None if v is None else v.tensor.numpy() for v in node.inputs]  # type: ignore[union-attr]
        result = kernel(node, arrays, self.ctx)
        if result is None:
            self.pending[node] = None
            return None
        results = result if isinstance(result, (list, tuple)) else [result]
        return self.accept(node, results)

    def accept(self, node: Node, arrays: Sequence[Any]) -> Sequence[Value] | None:
        """Store computed results, unless they turned out too large to keep or would break a reader."""
        tensors = [ArrayTensor(array) for array in arrays]
        if not self.sizes.may_store(node, sum(t.nbytes for t in tensors)):
            self.refused[node] = "the result is larger than the size policy allows"
            return None
        if any(policy.is_trap(value, array) for value, array in zip(node.outputs, arrays, strict=True)):
            self.refused[node] = "a reader divides by the result, which holds a zero"
            return None
        return [self.store(node, value, tensor) for value, tensor in zip(node.outputs, tensors)]

    def store(self, node: Node, value: Value, tensor: Tensor) -> Value:
        assert node.graph is not None
        constant = node.graph.constant(tensor, value.name if not value.outputs else value.name + "_const")
        if tensor.size <= DATA_LIMIT and value.data is not None:
            constant.data = value.data
        if self.origins is not None:
            self.origins.note(node, constant)
        self.sizes.store(node, constant)
        return constant

    # --- size ------------------------------------------------------------------------------------------------------
    def _result_bytes(self, node: Node) -> int | None:
        """Bytes of all results, when their sizes are known before computing."""
        total = 0
        for value in node.outputs:
            if value.shape is None or not value.dtype or value.dtype == 8:
                return None
            numel = 1
            for size in value.shape:
                if type(size) is not int:
                    return None
                numel *= size
            total += nbytes(value.dtype, numel)
        return total

    def _deferred(self, node: Node, value: Value, kernel: Any) -> Tensor:
        """The same computation, run when the numbers are asked for. The node is gone by then, its inputs are held."""
        inputs = [None if v is None else v.tensor for v in node.inputs]
        ctx = self.ctx

        def compute() -> Any:
            result = kernel(node, [None if t is None else t.numpy() for t in inputs], ctx)
            return result[0] if isinstance(result, (list, tuple)) else result

        assert value.shape is not None
        return deferred(value.dtype, value.shape, compute, inputs)  # type: ignore[arg-type]

    def _know(self, node: Node, value: Value, kernel: Any) -> None:
        tensors = [value.tensor for value in node.inputs if value is not None]
        if any(type(tensor) is DeferredTensor and tensor.steps >= MOST_STEPS for tensor in tensors):
            return
        value.tensor = self._deferred(node, value, kernel)
        if self.ctx.changed is not None:
            self.ctx.changed(value)

    def _store_known(self, node: Node, value: Value) -> Sequence[Value] | None:
        """A result that was only known is stored once its inputs have no other reader."""
        tensor = value.tensor
        if tensor is None or len(node.outputs) != 1 or not self.sizes.may_store(node, tensor.nbytes):
            return None
        if tensor.nbytes < DEFER_FROM:
            tensor = ArrayTensor(tensor.numpy())
        return [self.store(node, value, tensor)]


def _is_deferrable(node: Node) -> bool:
    """Is the kernel sure to give its one result when it is asked late?

    Whether it declines must not depend on the numbers, as for an integer division by zero or a float that no integer
    holds.
    """
    if len(node.outputs) != 1:
        return False
    if node.op_type in MOVERS or node.op_type in policy.GENERATORS:
        return True
    if node.op_type not in ARITHMETIC or node.outputs[0].dtype not in REALS:
        return False
    return all(value is not None and value.dtype in REALS for value in node.inputs)
