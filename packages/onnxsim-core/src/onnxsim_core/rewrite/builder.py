"""How a rule builds: new nodes stand before the root of its pattern, and are inferred at once.

`op.Transpose(x, perm=[1, 0])` makes a node and gives its output. Nothing built is in the way when a rule skips in the
end: the driver takes back what nobody uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..infer.engine import Inference
from ..ir.dims import Dim, Size
from ..ir.graph import Graph, Model, Node, Value, add_use
from ..ir.tensors import ArrayTensor, Tensor
from .numbering import Numbering

if TYPE_CHECKING:
    import numpy as np


LARGEST = (1 << 63) - 1


class Builder:
    """Makes nodes and constants at one place of the graph."""

    __slots__ = ("model", "ctx", "opset", "root", "graph", "made", "allows_growth", "numbering", "again",
                 "blockers")

    def __init__(self, model: Model, ctx: Inference, allows_growth: Callable[[int, Sequence[Value]], bool],
                 numbering: Numbering | None = None) -> None:
        self.model = model
        self.ctx = ctx
        self.opset = ctx.opset
        self.allows_growth = allows_growth
        self.numbering = numbering
        self.root: Node = None  # type: ignore[assignment]
        self.graph: Graph = None  # type: ignore[assignment]
        self.made: list[Node] = []
        self.again: list[Node] = []
        self.blockers: dict[Node, list[Node]] = {}

    def at(self, root: Node) -> None:
        self.root = root
        self.graph = root.graph  # type: ignore[assignment]
        if self.made:
            self.made = []

    # --- nodes -----------------------------------------------------------------------------------------------------
    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        if not op_type[0].isupper():
            raise AttributeError(op_type)

        def make(*inputs: Value | None, **attributes: Any) -> Value:
            value: Value = self.node(op_type, inputs, **attributes)[0]
            return value

        return make

    def node(self, op_type: str, inputs: Sequence[Value | None], *, outputs: int = 1, domain: str = "", name: str = "",
             proto: Any = None, **attributes: Any) -> tuple[Value, ...]:
        """A new node; trailing omitted inputs are dropped, attributes given as None left out, lists become tuples."""
        ins = list(inputs)
        while ins and ins[-1] is None:
            ins.pop()
        attrs = {key: tuple(v) if isinstance(v, list) else v for key, v in attributes.items() if v is not None}
        node = Node(op_type, ins, [], domain=domain, name=name, attributes=attrs, proto=proto)
        node.changed = True
        model, graph = self.model, self.graph
        base = self.root.outputs[0].name if self.root.outputs else op_type
        for _ in range(outputs):
            value = Value(model.unique(f"{base}_{op_type}"), graph)
            value.node = node
            node.outputs.append(value)
        for used in ins:
            if used is not None:
                add_use(used, node)
        self.place(node)
        self.ctx.infer(node)
        return tuple(node.outputs)

    def place(self, node: Node) -> None:
        """Put a node made elsewhere before the root."""
        self.graph.insert_before(self.root, node)
        self.made.append(node)

    def like(self, node: Node, inputs: Sequence[Value | None], **changes: Any) -> Value:
        """The first result of `anew`."""
        return self.anew(node, inputs, **changes)[0]

    def anew(self, node: Node, inputs: Sequence[Value | None], **changes: Any) -> tuple[Value, ...]:
        """`node` again with other inputs and some attributes changed (None removes one); name and metadata are kept.

        Outputs that are left out stay so, and need not be computed.
        """
        made = self.node(node.op_type, inputs, domain=node.domain, name=node.name, outputs=len(node.outputs),
                         proto=node.proto, **{**node.attributes, **changes})
        for old, new in zip(node.outputs, made):
            if not old.name:
                new.name = ""
        return made

    # --- constants -------------------------------------------------------------------------------------------------
    def constant(self, value: np.ndarray[Any, Any] | Tensor, name: str = "") -> Value:
        """A constant of the root's graph, from an ndarray (its dtype is kept) or a Tensor."""
        tensor = value if isinstance(value, Tensor) else ArrayTensor(value)
        base = name or (self.root.outputs[0].name + "_const")
        return self.graph.constant(tensor, base)

    def ints(self, numbers: Sequence[int], name: str = "") -> Value:
        """A 1-D INT64 constant. Numbers that it cannot hold are sizes that nothing can have, so that any will do."""
        import numpy as np

        held = [min(max(number, -LARGEST), LARGEST) for number in numbers]
        return self.constant(np.array(held, np.int64), name)

    def revisit(self, node: Node) -> None:
        """Ask for a later node to be visited again: what its pattern needs has changed far before it."""
        self.again.append(node)

    def retry_without(self, blocker: Node) -> None:
        """Ask for the root, and what follows it, to be visited again once `blocker`, which is in the way now, is gone."""
        self.blockers.setdefault(blocker, []).append(self.root)

    # --- questions -------------------------------------------------------------------------------------------------
    def affordable(self, nbytes: int, *replaced: Value) -> bool:
        """May a new constant of that size take the place of these constants, under the size policy?

        What nobody else reads dies and is credited; a shared or generated constant is not.
        """
        return self.allows_growth(nbytes, replaced)

    def sizes_of(self, data: tuple[Size, ...], *, scalar: bool = False) -> Value | None:
        """An INT64 value made before the root that holds these sizes, as a vector or as a scalar."""
        if self.numbering is None:
            return None
        return self.numbering.value_of(() if scalar else (len(data),), data, self.root)

    def has_sizes(self, data: tuple[Size, ...]) -> bool:
        """Does the root's graph compute a vector of these sizes, be it before the root or after?"""
        return self.numbering is not None and self.numbering.has_value((len(data),), data, self.graph) is not None

    def source_of(self, size: Dim) -> tuple[Value, int] | None:
        """A value made before the root, and its axis, that has this symbolic size."""
        return None if self.numbering is None else self.numbering.source(size, self.root)
