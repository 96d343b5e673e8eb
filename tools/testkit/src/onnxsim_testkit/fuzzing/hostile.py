"""Damaged and hostile model files: valid models in which one thing or several are changed, or some bytes."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import onnx
from onnx import AttributeProto, TensorProto

from .growing import bodies

HUGE = (0, 1, -1, 2, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**40, 10**12, 2**62, 2**63 - 1, -(2**63))
LOCATIONS = (
    "", ".", "..", "../x", "/etc/hostname", "/dev/zero", "weights.bin", "a/../../b", "\0", "x" * 5000, "model.onnx", "link",
    "C:\\x", "\\\\server\\x", "~", "$HOME", "*[INLINE]*", "\udcff".encode("utf-8", "surrogatepass").decode("latin-1"),
)  # fmt: skip
WORDS = ("", "x", "y", "If", "Loop", "Scan", "Constant", "Shape", "Concat", "Reshape", "Identity", "\0", "a" * 300, "ai.onnx",
         "com.microsoft", "Add", "Slice", "Split", "Einsum", "Pad", "Tile", "Expand")  # fmt: skip


def mutated(data: bytes, rng: Random) -> bytes:
    """A file like `data` with something wrong, which may be nothing that matters."""
    if rng.random() < 0.3:
        return damaged(data, rng)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
        for _ in range(rng.choice((1, 1, 2, 3, 6))):
            rng.choice(MUTATIONS)(model, rng)
        changed = model.SerializeToString()
    except Exception:  # noqa: BLE001  it is damaged already, as a whole or where a name is no text
        return damaged(data, rng)
    return damaged(changed, rng) if rng.random() < 0.1 else changed


def damaged(data: bytes, rng: Random) -> bytes:
    """Bytes flipped, cut out, doubled, or put in."""
    array = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not array:
            return bytes(rng.randrange(256) for _ in range(rng.randrange(40)))
        at = rng.randrange(len(array))
        kind = rng.randrange(6)
        span = rng.choice((1, 1, 2, 8, 100))
        if kind == 0:
            array[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            array[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif kind == 2:
            del array[at : at + span]
        elif kind == 3:
            array[at:at] = array[at : at + span]
        elif kind == 4:
            array[at:at] = rng.choice((b"\xff" * 10, b"\x80" * 12, b"\x0a\xff\xff\xff\xff\x0f", b"\x00" * 8))
        else:
            del array[at:]
    return bytes(array)


# --- changes of what a message says ------------------------------------------------------------------------------------
def _graph(model: onnx.ModelProto, rng: Random) -> onnx.GraphProto:
    graph = model.graph
    while rng.random() < 0.5:
        inner = [body for node in graph.node for body in bodies(node)]
        if not inner:
            break
        graph = rng.choice(inner)
    return graph


def _one(messages: Sequence[Any], rng: Random) -> Any:
    return rng.choice(list(messages)) if len(messages) else None


def _names(graph: onnx.GraphProto) -> list[str]:
    found = [name for node in graph.node for name in (*node.input, *node.output)]
    found += [holder.name for field in (graph.input, graph.output, graph.initializer) for holder in field]
    return found or ["x"]


def rename(model: onnx.ModelProto, rng: Random) -> None:
    """A name somewhere becomes another name: cycles, doubled names, missing inputs, omitted outputs."""
    graph = _graph(model, rng)
    node = _one(graph.node, rng)
    name = rng.choice((*_names(graph), "", "nobody"))
    if node is not None and rng.random() < 0.8:
        field = node.input if rng.random() < 0.6 and node.input else node.output
        if field:
            field[rng.randrange(len(field))] = name
        return
    holder = _one((*graph.input, *graph.output, *graph.initializer), rng)
    if holder is not None:
        holder.name = name


def arity(model: onnx.ModelProto, rng: Random) -> None:
    """Inputs and outputs come, go, or change places."""
    graph = _graph(model, rng)
    node = _one(graph.node, rng)
    if node is None:
        return
    field = node.input if rng.random() < 0.6 else node.output
    kind = rng.randrange(3)
    if kind == 0 and field:
        del field[rng.randrange(len(field))]
    elif kind == 1:
        field.append(rng.choice(_names(graph)) if rng.random() < 0.7 else "new")
    elif field:
        shuffled = list(field)
        rng.shuffle(shuffled)
        field[:] = shuffled


def operator(model: onnx.ModelProto, rng: Random) -> None:
    """A node becomes one of another operator, domain or overload."""
    graph = _graph(model, rng)
    node, other = _one(graph.node, rng), _one(graph.node, rng)
    if node is not None:
        kind = rng.randrange(4)
        if kind == 0:
            node.op_type = rng.choice(WORDS)
        elif kind == 1:
            node.op_type = other.op_type
        elif kind == 2:
            node.domain = rng.choice(("", "ai.onnx", "com.microsoft", "local", "x"))
        else:
            node.overload = rng.choice(("", "x"))


def attribute(model: onnx.ModelProto, rng: Random) -> None:
    """An attribute changes its value, type or name, comes or goes."""
    node = _one(_graph(model, rng).node, rng)
    if node is None:
        return
    found = _one(node.attribute, rng)
    if found is None or rng.random() < 0.15:
        found = node.attribute.add(name=rng.choice(("axis", "axes", "to", "perm", "body", "value", "x", "keepdims", "shape")))
        found.type = rng.choice((1, 2, 3, 4, 5, 6, 7, 8))
    kind = rng.randrange(8)
    if kind == 0:
        found.type = rng.randrange(15)
    elif kind == 1:
        found.i = rng.choice(HUGE)
    elif kind == 2 and found.ints:
        found.ints[rng.randrange(len(found.ints))] = rng.choice(HUGE)
    elif kind == 3:
        found.ints.extend(rng.choice(HUGE) for _ in range(rng.choice((1, 2, 2000))))
    elif kind == 4:
        del found.ints[:]
    elif kind == 5:
        found.s = rng.choice((b"", b"\xff\xfe", b"x" * 3000, b"linear", b"ij,jk->ik", b"SAME_UPPER", b"-->,,"))
    elif kind == 6:
        found.ref_attr_name = rng.choice(("", "x"))
    else:
        node.attribute.remove(found)


def tensor(model: onnx.ModelProto, rng: Random) -> None:
    """A constant has other dims, another type, fewer or more numbers, or lies elsewhere."""
    graph = _graph(model, rng)
    inner = [a.t for node in graph.node for a in node.attribute if a.type == AttributeProto.TENSOR]
    found = _one((*graph.initializer, *inner), rng)
    if found is None:
        return
    kind = rng.randrange(9)
    if kind == 0:
        found.data_type = rng.choice((*range(27), 99, -1, 2**31 - 1))
    elif kind == 1 and found.dims:
        found.dims[rng.randrange(len(found.dims))] = rng.choice(HUGE)
    elif kind == 2:
        found.dims.extend(rng.choice(HUGE) for _ in range(rng.choice((1, 2, 40))))
    elif kind == 3:
        del found.dims[:]
    elif kind == 4:
        found.raw_data = found.raw_data[: rng.randrange(len(found.raw_data) + 1)]
    elif kind == 5:
        found.raw_data = found.raw_data + bytes(rng.randrange(256) for _ in range(rng.choice((1, 8, 100))))
    elif kind == 6:
        found.int64_data.extend(rng.choice(HUGE) for _ in range(3))
    elif kind == 7:
        found.raw_data = bytes(rng.randrange(256) for _ in range(len(found.raw_data)))
    else:
        _elsewhere(found, rng)


def _elsewhere(found: TensorProto, rng: Random) -> None:
    found.ClearField("raw_data")
    found.data_location = TensorProto.EXTERNAL
    entries = {"location": rng.choice(LOCATIONS)}
    if rng.random() < 0.8:
        entries["offset"] = rng.choice((*map(str, HUGE), "", "x", "1.5", "0x10"))
    if rng.random() < 0.8:
        entries["length"] = rng.choice((*map(str, HUGE), "", "x"))
    for key, value in entries.items():
        if rng.random() < 0.95:
            found.external_data.add(key=key, value=value)


def declaration(model: onnx.ModelProto, rng: Random) -> None:
    """An input, output or inner value is said to have another type, rank or size."""
    graph = _graph(model, rng)
    info = _one((*graph.input, *graph.output, *graph.value_info), rng)
    if info is None:
        return
    kind = rng.randrange(6)
    found = info.type.tensor_type
    if kind == 0:
        found.elem_type = rng.choice((*range(27), 99, -1))
    elif kind == 1 and found.shape.dim:
        rng.choice(list(found.shape.dim)).dim_value = rng.choice(HUGE)
    elif kind == 2:
        for _ in range(rng.choice((1, 3, 3000))):
            found.shape.dim.add().dim_value = rng.choice(HUGE)
    elif kind == 3:
        found.ClearField("shape")
    elif kind == 4:
        info.ClearField("type")
    else:
        info.type.sequence_type.elem_type.tensor_type.elem_type = rng.choice((1, 7, 99))


def structure(model: onnx.ModelProto, rng: Random) -> None:
    """Nodes and values come twice, go, or change places; a body becomes its own graph's."""
    graph = _graph(model, rng)
    fields = [f for f in (graph.node, graph.input, graph.output, graph.initializer, graph.value_info) if len(f)]
    if not fields:
        return
    field: Any = rng.choice(fields)
    at = rng.randrange(len(field))
    kind = rng.randrange(5)
    if kind == 0:
        del field[at]
    elif kind == 1:
        field.add().CopyFrom(field[at])
    elif kind == 2 and field is graph.node:
        moved = onnx.NodeProto()
        moved.CopyFrom(field[at])
        del field[at]
        field.insert(rng.randrange(len(field) + 1), moved)
    elif kind == 3 and graph.node:
        node = rng.choice(list(graph.node))
        body = onnx.GraphProto()
        body.CopyFrom(graph if rng.random() < 0.5 else model.graph)
        if body.ByteSize() < 20_000:
            name = rng.choice(("then_branch", "else_branch", "body", "x"))
            node.attribute.add(name=name, type=AttributeProto.GRAPH).g.CopyFrom(body)
    else:
        del field[:]


def header(model: onnx.ModelProto, rng: Random) -> None:
    """Versions, domains, functions."""
    kind = rng.randrange(6)
    if kind == 0:
        model.ir_version = rng.choice((*range(14), 99, 2**62, -1))
    elif kind == 1 and model.opset_import:
        rng.choice(list(model.opset_import)).version = rng.choice((*range(30), 99, 2**40, -1, -(2**63)))
    elif kind == 2:
        model.opset_import.add(domain=rng.choice(("", "ai.onnx", "local", "x")), version=rng.choice((0, 1, 21, 99)))
    elif kind == 3:
        del model.opset_import[:]
    elif kind == 4 and model.graph.node:
        function = model.functions.add(domain="local", name=rng.choice(list(model.graph.node)).op_type)
        function.node.extend(model.graph.node[:3])
        function.input.extend(["a", "b"])
        function.output.extend(_names(model.graph)[:1])
        function.node.add(op_type=function.name, domain="local", input=["a"], output=["z"])
        rng.choice(list(model.graph.node)).domain = "local"
    else:
        model.ClearField("graph")


MUTATIONS: tuple[Callable[[onnx.ModelProto, Random], None], ...] = (
    rename, rename, arity, operator, attribute, attribute, tensor, tensor, declaration, structure, header,
)  # fmt: skip
