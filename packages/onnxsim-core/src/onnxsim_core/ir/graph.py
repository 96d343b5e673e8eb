"""The graph in memory: values with their users, nodes in a linked list, graphs inside nodes.

Every edit is O(1) in the size of the graph: a value knows its producer and its users, a node knows its neighbours.
Nothing here infers, folds or decides; `infer`, `fold` and `rewrite` do, on top of these edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dims import Dim, Size, SymbolTable
    from .tensors import Tensor

Shape = tuple["int | Dim", ...]


class Value:
    """One edge of the graph: a graph input, a constant or an output of a node.

    `dtype` is a TensorProto.DataType (0 = unknown or not a tensor), `shape` a tuple of sizes or None when the rank is
    unknown. `tensor` holds the numbers of a constant. `data` holds the elements of a small integer tensor, each an int
    or a symbolic size. `uses` counts, per node, in how many of its inputs the value stands; a node inside a subgraph
    counts like any other. `outputs` counts how often the value is an output of its graph.
    """

    __slots__ = ("name", "node", "graph", "uses", "outputs", "dtype", "shape", "tensor", "data", "type_proto", "info",
                 "is_input", "doubtful")

    def __init__(self, name: str, graph: Graph) -> None:
        self.name = name
        self.graph = graph
        self.node: Node | None = None
        self.uses: dict[Node, int] = {}
        self.outputs = 0
        self.dtype = 0
        self.shape: Shape | None = None
        self.tensor: Tensor | None = None
        self.data: tuple[Size, ...] | None = None
        self.type_proto: Any = None
        self.info: Any = None
        self.is_input = False
        self.doubtful = False

    @property
    def is_constant(self) -> bool:
        """True when the numbers are known: an initializer that no caller can override."""
        return self.tensor is not None and not self.is_input

    def producer(self, op_type: str) -> Node | None:
        """The default-domain node of that type that makes this value, or None."""
        node = self.node
        return node if node is not None and node.op_type == op_type and not node.domain else None

    def only_use(self) -> Node | None:
        """The one node reading this value in one place, or None if it has other readers or is a graph output."""
        if self.outputs or len(self.uses) != 1:
            return None
        node, count = next(iter(self.uses.items()))
        return node if count == 1 else None

    @property
    def is_used_once(self) -> bool:
        """Exactly one reader, counting graph outputs."""
        return not self.outputs and len(self.uses) == 1 and next(iter(self.uses.values())) == 1

    @property
    def is_dead(self) -> bool:
        return not self.uses and not self.outputs

    def __repr__(self) -> str:
        return f"Value({self.name!r}, dtype={self.dtype}, shape={self.shape})"


class Node:
    """One operator call. `inputs` holds None for an omitted optional input, `outputs` always holds values.

    `attributes` is decoded from `proto` on first use. A node whose inputs, outputs and attributes did not change is
    written back as the bytes it was read from; `changed` says that it did. `bodies` are its subgraphs by attribute
    name.
    """

    __slots__ = ("op_type", "domain", "overload", "name", "inputs", "outputs", "graph", "prev", "next", "position",
                 "proto", "bodies", "changed", "queued", "alive", "_attributes", "key", "info", "trace")

    def __init__(self, op_type: str, inputs: list[Value | None], outputs: list[Value], *, domain: str = "",
                 name: str = "", attributes: dict[str, Any] | None = None, proto: Any = None,
                 overload: str = "") -> None:
        self.op_type = op_type
        self.domain = domain
        self.overload = overload
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.graph: Graph | None = None
        self.prev: Node | None = None
        self.next: Node | None = None
        self.position = 0.0
        self.proto = proto
        self.bodies: dict[str, Graph] | None = None
        self.changed = proto is None
        self.queued = False
        self.alive = True
        self._attributes = attributes
        self.key: Any = None
        self.info: Any = None
        self.trace: Any = None

    @property
    def attributes(self) -> dict[str, Any]:
        """Attribute values by name: int, float, bytes, Tensor, tuples of those, or an AttributeProto of rarer kinds."""
        found = self._attributes
        if found is None:
            found = self._attributes = decode_attributes(self.proto)
        return found

    def attribute(self, name: str, default: Any = None) -> Any:
        """One attribute's value, or the default the caller names (the schema's)."""
        found = self._attributes
        if found is None:
            found = self.attributes
        return found.get(name, default)

    def text(self, name: str, default: str = "") -> str:
        """A string attribute as text."""
        value = self.attribute(name)
        return default if value is None else value.decode("utf-8", "surrogateescape")

    def input(self, index: int) -> Value | None:
        """Input number `index`, or None when it is omitted or beyond the end."""
        inputs = self.inputs
        return inputs[index] if index < len(inputs) else None

    def where(self) -> str:
        """Readable place of this node for messages: `main/If_3.then_branch/Conv_7`."""
        label = self.name or (f"{self.op_type}->{self.outputs[0].name}" if self.outputs else self.op_type)
        return f"{self.graph.where()}/{label}" if self.graph is not None else label

    def __repr__(self) -> str:
        ins = ", ".join("-" if v is None else v.name for v in self.inputs)
        return f"{self.op_type}({ins}) -> {', '.join(v.name for v in self.outputs)}"


class AttributeRef:
    """An attribute of a node in a function body that takes the value of the function's own attribute."""

    __slots__ = ("proto",)

    def __init__(self, proto: Any) -> None:
        self.proto = proto


def decode_attributes(proto: Any) -> dict[str, Any]:
    """Attribute values of a NodeProto by name; graphs are left to the reader."""
    result: dict[str, Any] = {}
    if proto is None:
        return result
    for attribute in proto.attribute:
        kind = attribute.type
        if attribute.ref_attr_name:
            result[attribute.name] = AttributeRef(attribute)
        elif kind == 2:
            result[attribute.name] = attribute.i
        elif kind == 7:
            result[attribute.name] = tuple(attribute.ints)
        elif kind == 1:
            result[attribute.name] = attribute.f
        elif kind == 3:
            result[attribute.name] = attribute.s
        elif kind == 6:
            result[attribute.name] = tuple(attribute.floats)
        elif kind == 8:
            result[attribute.name] = tuple(attribute.strings)
        elif kind == 4:
            result[attribute.name] = _tensor(attribute.t)
        elif kind not in (5, 10):
            result[attribute.name] = attribute
    return result


def _tensor(proto: Any) -> Tensor:
    from .tensors import tensor_from_proto

    return tensor_from_proto(proto)


class Graph:
    """A graph or subgraph: inputs, outputs, constants and a linked list of nodes in topological order."""

    __slots__ = ("name", "proto", "model", "owner", "owner_attribute", "inputs", "outputs", "constants", "first",
                 "last", "count", "value_info", "sparse", "infos")

    def __init__(self, model: Model, name: str = "", proto: Any = None) -> None:
        self.model = model
        self.name = name
        self.proto = proto
        self.owner: Node | None = None
        self.owner_attribute = ""
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.constants: dict[Value, None] = {}
        self.first: Node | None = None
        self.last: Node | None = None
        self.count = 0
        self.value_info: dict[str, Any] = {}
        self.sparse: dict[str, Any] = {}

    # --- walking ---------------------------------------------------------------------------------------------------
    def __iter__(self) -> Iterator[Node]:
        """Nodes in order; the list may be edited while it is walked."""
        node = self.first
        while node is not None:
            following = node.next
            yield node
            node = following if following is None or following.alive else _alive_after(following)

    def __len__(self) -> int:
        return self.count

    def reversed(self) -> Iterator[Node]:
        """Nodes from last to first; the node just given may be removed."""
        node = self.last
        while node is not None:
            before = node.prev
            yield node
            node = before

    def ancestors(self) -> Iterator[Graph]:
        """This graph, then the graph holding its owner node, and so on outwards."""
        graph: Graph | None = self
        while graph is not None:
            yield graph
            graph = graph.owner.graph if graph.owner is not None else None

    def where(self) -> str:
        owner = self.owner
        return "main" if owner is None else f"{owner.where()}.{self.owner_attribute}"

    # --- editing ---------------------------------------------------------------------------------------------------
    def append(self, node: Node) -> None:
        last = self.last
        node.graph = self
        node.prev = last
        if last is None:
            self.first = node
            node.position = 0.0
        else:
            last.next = node
            node.position = last.position + 1.0
        self.last = node
        self.count += 1

    def insert_before(self, anchor: Node, node: Node) -> None:
        prev = anchor.prev
        node.graph = self
        node.prev = prev
        node.next = anchor
        anchor.prev = node
        if prev is None:
            self.first = node
            node.position = anchor.position - 1.0
        else:
            prev.next = node
            node.position = (prev.position + anchor.position) / 2
            if node.position in (prev.position, anchor.position):
                self.renumber()
        self.count += 1

    def renumber(self) -> None:
        position = 0.0
        node = self.first
        while node is not None:
            node.position = position
            position += 1.0
            node = node.next

    def unlink(self, node: Node) -> None:
        """Take a node out of the list. Its `next` stays set, so that a walk standing on it can go on."""
        prev, following = node.prev, node.next
        if prev is None:
            self.first = following
        else:
            prev.next = following
        if following is None:
            self.last = prev
        else:
            following.prev = prev
        node.alive = False
        self.count -= 1

    def constant(self, tensor: Tensor, name: str) -> Value:
        """A new constant of this graph; the name is made unique."""
        value = Value(self.model.unique(name), self)
        value.tensor = tensor
        value.dtype = tensor.dtype
        value.shape = tensor.dims
        self.constants[value] = None
        return value


def _alive_after(node: Node | None) -> Node | None:
    while node is not None and not node.alive:
        node = node.next
    return node


class Function:
    """A model-local function. `graph` is set once its body has been read for simplifying; else `proto` is the truth."""

    __slots__ = ("domain", "name", "overload", "proto", "graph")

    def __init__(self, proto: Any) -> None:
        self.proto = proto
        self.domain: str = proto.domain
        self.name: str = proto.name
        self.overload: str = getattr(proto, "overload", "")
        self.graph: Graph | None = None


class Model:
    """A whole model: the main graph, local functions, operator set versions and everything else in `proto`."""

    __slots__ = ("graph", "proto", "opsets", "functions", "symbols", "names", "ir_version", "base_dir", "files",
                 "notes", "_counter")

    def __init__(self, proto: Any, symbols: SymbolTable) -> None:
        self.proto = proto
        self.symbols = symbols
        self.opsets: dict[str, int] = {}
        self.functions: dict[tuple[str, str, str], Function] = {}
        self.names: set[str] = set()
        self.ir_version = 0
        self.base_dir: str | None = None
        self.files: list[Any] = []
        self.notes: list[str] = []
        self._counter: dict[str, int] = {}
        self.graph: Graph = Graph(self)

    def opset(self, domain: str = "") -> int:
        return self.opsets.get(domain, 1 if domain else 0)

    def unique(self, name: str) -> str:
        """`name` if free, else the first free `name_<n>`; the result counts as taken."""
        names = self.names
        if name and name not in names:
            names.add(name)
            return name
        base = name or "v"
        number = self._counter.get(base, 0)
        while True:
            number += 1
            candidate = f"{base}_{number}"
            if candidate not in names:
                self._counter[base] = number
                names.add(candidate)
                return candidate

    def graphs(self) -> Iterator[Graph]:
        """The main graph and every subgraph, outer before inner."""
        yield from nested_graphs(self.graph)


def nested_graphs(graph: Graph) -> Iterator[Graph]:
    yield graph
    for node in graph:
        if node.bodies:
            for body in node.bodies.values():
                yield from nested_graphs(body)


# --- uses -----------------------------------------------------------------------------------------------------------
def add_use(value: Value, node: Node) -> None:
    uses = value.uses
    uses[node] = uses.get(node, 0) + 1


def drop_use(value: Value, node: Node) -> None:
    uses = value.uses
    left = uses[node] - 1
    if left:
        uses[node] = left
    else:
        del uses[node]


def set_input(node: Node, index: int, value: Value | None) -> None:
    """Make input `index` read `value`."""
    old = node.inputs[index]
    if old is value:
        return
    if old is not None:
        drop_use(old, node)
    node.inputs[index] = value
    if value is not None:
        add_use(value, node)
    node.changed = True


def rename(value: Value, name: str) -> None:
    """Give a value another (free) name; its producer and readers are written anew."""
    value.name = name
    if value.node is not None:
        value.node.changed = True
    for user in value.uses:
        user.changed = True


def mark_changed_owners(graph: Graph) -> None:
    """Nodes whose body changed are written anew, outwards."""
    owner = graph.owner
    while owner is not None and not owner.changed:
        owner.changed = True
        owner = owner.graph.owner if owner.graph is not None else None
