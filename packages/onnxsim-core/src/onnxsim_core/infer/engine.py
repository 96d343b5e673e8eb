"""What is known of every value: dtype, shape and, for small integer tensors, the elements.

`Inference` is handed to every shape rule as `ctx`. Facts only narrow: a size that was a symbol may become a number,
never the reverse, so inferring a node again after its inputs became better known ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..ir.dims import Dim, Size
from ..ir.dtypes import BOOL, INT32, INT64, STRING
from ..ir.graph import Graph, Model, Node, Value
from ..ir.tensors import ints
from ..ops.registry import SHAPES

FORGETFUL = 64
"""How many values are looked at for sizes that were made up while nothing was known of one before them."""
DATA_LIMIT = 256
"""Largest tensor whose elements are tracked one by one."""
WITH_BODIES = frozenset({"If", "Loop", "Scan", "SequenceMap"})
_DATA_TYPES = (INT64, INT32, BOOL)


class Inference:
    """Runs shape rules and keeps their facts.

    `changed` is called with a value whose facts narrowed after its readers may have seen it; `enter` with a subgraph
    whose nodes are to be visited now (the driver sweeps it).
    """

    __slots__ = ("model", "opset", "table", "symbols", "changed", "enter", "warnings", "tail", "open_bodies")

    def __init__(self, model: Model, *, changed: Callable[[Value], None] | None = None,
                 enter: Callable[[Graph], None] | None = None,
                 tail: Callable[[Node, Inference], None] | None = None) -> None:
        self.model = model
        self.opset = model.opset()
        self.table: Any = SHAPES.table(model.opsets)
        self.symbols = model.symbols
        self.changed = changed
        self.enter = enter
        self.tail = tail
        self.warnings: list[str] = []
        self.open_bodies: set[Graph] = set()

    def infer_constants_only(self) -> None:
        """Believe what the model states, and infer only what folding needs: nodes whose inputs are all known."""
        def when_known(rule: Any) -> Any:
            def guarded(node: Node, ctx: Inference) -> None:
                if all(value is None or value.tensor is not None for value in node.inputs):
                    rule(node, ctx)

            return guarded

        self.table = defaultdict(lambda: None, {key: rule if key in WITH_BODIES else when_known(rule)
                                                for key, rule in self.table.known().items()})
        if self.tail is not None:
            self.tail = when_known(self.tail)

    # --- running ---------------------------------------------------------------------------------------------------
    def infer(self, node: Node) -> None:
        """State what is known of the node's outputs."""
        rule = self.table[(node.domain, node.op_type) if node.domain else node.op_type]
        if rule is not None:
            rule(node, self)
        elif self.tail is not None:
            self.tail(node, self)
        info = node.graph.value_info if node.graph is not None else None
        for value in node.outputs:
            if (value.shape is None or not value.dtype) and (info or value.outputs):
                self.declared(value)

    def walk(self, graph: Graph) -> None:
        """Infer every node of a graph in order."""
        for node in graph:
            self.infer(node)

    # --- facts -----------------------------------------------------------------------------------------------------
    def set(self, value: Value, dtype: int = 0, shape: Any = None, data: tuple[Size, ...] | None = None) -> None:
        """Merge facts into a value. `shape` is an iterable of sizes or None; `data` the elements in row-major order."""
        news = False
        if dtype and value.dtype != dtype:
            if value.dtype and value.tensor is None:
                value.doubtful = True
            value.dtype = dtype
            news = True
        if shape is not None:
            if type(shape) is not tuple:
                shape = tuple(shape)
            old = value.shape
            if old is None:
                value.shape = shape
                news = True
            elif old != shape:
                merged = self._merge(value, old, shape)
                if merged != old:
                    value.shape = merged
                    news = True
        if data is not None and value.data != data and len(data) <= DATA_LIMIT:
            value.data = data
            news = True
        if news and self.changed is not None:
            self.changed(value)

    def discover(self, value: Value, dtype: int, shape: tuple[Size, ...], data: tuple[Size, ...] | None) -> None:
        """As `set`. If nothing was known of the value's shape, sizes that were made up for what is made of it are forgotten."""
        waiting = [value] if value.shape is None else []
        for _ in range(FORGETFUL):
            if not waiting:
                break
            for user in waiting.pop().uses:
                for made in user.outputs:
                    if made.tensor is None and made.shape != () \
                            and all(self.symbols.is_anonymous(size) for size in made.shape or ()):
                        made.shape = None
                        waiting.append(made)
        self.set(value, dtype, shape, data)

    def _merge(self, value: Value, old: tuple[Size, ...], new: tuple[Size, ...]) -> tuple[Size, ...]:
        if len(old) != len(new):
            if value.is_input or value.tensor is not None:
                return old
            value.doubtful = True
            return new
        merged = []
        for a, b in zip(old, new):
            if a == b or type(b) is not int and (type(a) is int or not self._better(b, a)):  # type: ignore[arg-type]
                merged.append(a)
            else:
                if type(a) is int:
                    value.doubtful = True
                merged.append(b)
        return tuple(merged)

    def declared(self, value: Value) -> None:
        """Where no rule could say more, believe what the model states of a value."""
        if value.doubtful:
            return
        graph = value.graph
        info = graph.value_info.get(value.name)
        if info is None:
            info = value.info if value.outputs and hasattr(value.info, "type") else None
            if info is None:
                return
        kind = info.type.WhichOneof("value")
        if kind != "tensor_type":
            if value.type_proto is None and kind is not None and not value.dtype:
                value.type_proto = info.type
            return
        tensor = info.type.tensor_type
        shape = None
        if value.shape is None and tensor.HasField("shape") and not _is_looped(graph):
            shape = tuple(self._declared_size(dim) for dim in tensor.shape.dim)
        self.set(value, 0 if value.dtype else tensor.elem_type, shape)

    def _declared_size(self, dim: Any) -> Size:
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            size: Size = dim.dim_value
            return size
        return self.symbols.fresh()

    def _better(self, new: Dim, old: Dim) -> bool:
        """A formula over named symbols says more than one over nameless ones."""
        return self.symbols.is_anonymous(old) and not self.symbols.is_anonymous(new)

    # --- what rules ask --------------------------------------------------------------------------------------------
    def fresh(self) -> Dim:
        """A size nothing is known of."""
        return self.symbols.fresh()

    def data(self, value: Value | None) -> tuple[Size, ...] | None:
        """Elements of a small integer or bool tensor, each an int or a symbolic size, or None when not tracked."""
        if value is None:
            return None
        found = value.data
        if found is None and value.tensor is not None and value.is_constant and value.dtype in _DATA_TYPES \
                and value.tensor.size <= DATA_LIMIT:
            found = value.data = ints(value.tensor)
        return found

    def ints(self, value: Value | None) -> tuple[int, ...] | None:
        """Elements of a small integer tensor when all are known numbers."""
        found = self.data(value)
        if found is None:
            return None
        for element in found:
            if type(element) is not int:
                return None
        return found  # type: ignore[return-value]

    def scalar(self, value: Value | None) -> float | int | bool | None:
        """The number of a constant with one element."""
        if value is None or not value.is_constant or value.dtype == STRING or value.tensor.size != 1:  # type: ignore
            return None
        number: float | int | bool = value.tensor.numpy().reshape(-1)[0].item()  # type: ignore[union-attr]
        return number


def _is_looped(graph: Graph) -> bool:
    """Does the graph run in a Loop, where no runtime holds a size that grows to the one the file declares?"""
    for around in graph.ancestors():
        if around.owner is not None and around.owner.op_type == "Loop":
            return True
    return False
