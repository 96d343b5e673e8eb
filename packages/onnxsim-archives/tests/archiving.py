"""Models and readers that the tests of archives share."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(7)

# Every element type of fixed width, its number in ONNX, and how many bits an element takes.
TYPES = {
    "FLOAT": (1, 32), "UINT8": (2, 8), "INT8": (3, 8), "UINT16": (4, 16), "INT16": (5, 16), "INT32": (6, 32),
    "INT64": (7, 64), "BOOL": (9, 8), "FLOAT16": (10, 16), "DOUBLE": (11, 64), "UINT32": (12, 32), "UINT64": (13, 64),
    "COMPLEX64": (14, 64), "COMPLEX128": (15, 128), "BFLOAT16": (16, 16), "FLOAT8E4M3FN": (17, 8),
    "FLOAT8E4M3FNUZ": (18, 8), "FLOAT8E5M2": (19, 8), "FLOAT8E5M2FNUZ": (20, 8), "UINT4": (21, 4), "INT4": (22, 4),
    "FLOAT4E2M1": (23, 4), "FLOAT8E8M0": (24, 8), "UINT2": (25, 2), "INT2": (26, 2),
}  # fmt: skip


def raw_tensor(name: str, dtype: int, dims: tuple[int, ...], data: bytes) -> TensorProto:
    """A tensor with these raw bytes."""
    return TensorProto(name=name, data_type=dtype, dims=dims, raw_data=data)


def every_type(dims: tuple[int, ...] = (3, 5)) -> dict[str, TensorProto]:
    """A tensor of random bits of each type."""
    made = {}
    for name, (dtype, bits) in TYPES.items():
        size = (int(np.prod(dims)) * bits + 7) // 8
        data = RNG.integers(0, 2 if name == "BOOL" else 256, size, dtype=np.uint8).tobytes()
        made[name] = raw_tensor(name, dtype, dims, data)
    return made


def model_of(*initializers: TensorProto, nodes: list[Any] | None = None, **more: Any) -> onnx.ModelProto:
    """A model with these initializers, each an output through Identity unless nodes are given."""
    if nodes is None:
        nodes = [helper.make_node("Identity", [one.name], [f"y{number}"]) for number, one in enumerate(initializers)]
    outputs = [
        helper.make_tensor_value_info(f"y{number}", one.data_type, list(one.dims))
        for number, one in enumerate(initializers)
    ]
    graph = helper.make_graph(nodes, "g", [], outputs, list(initializers))
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, **more)


def arrays(**found: Any) -> list[TensorProto]:
    """Tensors of numpy arrays by name."""
    return [numpy_helper.from_array(np.asarray(array), name) for name, array in found.items()]


def deep_model() -> onnx.ModelProto:
    """Tensors wherever a model can hold one: both branches have an initializer `k`, as has the main graph's `If`."""

    def branch(name: str, value: float) -> onnx.GraphProto:
        out = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, [2])
        nodes = [
            helper.make_node("Constant", [], [f"{name}_c"], name="c", value=arrays(v=np.float32([value, 9]))[0]),
            helper.make_node("Mul", ["k", f"{name}_c"], [f"{name}_out"]),
        ]
        return helper.make_graph(nodes, name, [], [out], arrays(k=np.float32([value, value + 1])))

    choose = helper.make_node(
        "If", ["cond"], ["chosen"], name="choose", then_branch=branch("then", 1), else_branch=branch("else", 3)
    )
    call = helper.make_node("shift", ["chosen"], ["shifted"], domain="local")
    add = helper.make_node("Add", ["shifted", "dense"], ["y"])
    shift = helper.make_function(
        "local",
        "shift",
        ["a"],
        ["b"],
        [
            helper.make_node("Constant", [], ["by"], value=arrays(v=np.float32([10, 20]))[0]),
            helper.make_node("Add", ["a", "by"], ["b"]),
        ],
        [helper.make_opsetid("", 21)],
    )
    values = raw_tensor("sparse", 1, (1,), np.float32([5]).tobytes())
    indices = raw_tensor("", 7, (1,), np.int64([1]).tobytes())
    graph = helper.make_graph(
        [choose, call, add],
        "g",
        [helper.make_tensor_value_info("cond", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
        arrays(dense=np.float32([100, 200])),
        sparse_initializer=[helper.make_sparse_tensor(values, indices, [2])],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=[shift])


def parts(message: Any) -> Iterator[Any]:
    """Every TensorProto inside a message, found without knowing where a model may hold one."""
    if message.DESCRIPTOR.name == "TensorProto":
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            for child in (value,) if hasattr(value, "ListFields") else value:
                yield from parts(child)


def canonical(model: onnx.ModelProto) -> bytes:
    """A model with each tensor's numbers as raw bytes, serialised: equal for models that are equal."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for tensor in parts(copy):
        assert tensor.data_location != TensorProto.EXTERNAL
        tensor.ClearField("data_location")
        if tensor.data_type != TensorProto.STRING and not tensor.HasField("raw_data"):
            array = numpy_helper.to_array(tensor)
            for field in ("float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
                tensor.ClearField(field)
            tensor.raw_data = numpy_helper.from_array(array).raw_data
    return copy.SerializeToString(deterministic=True)


def old_model() -> onnx.ModelProto:
    """What the archives in data/ were made of, by onnxsim 0.8.1."""
    then = helper.make_graph(
        [helper.make_node("Identity", ["inner"], ["t"])],
        "then",
        [],
        [helper.make_tensor_value_info("t", TensorProto.FLOAT, [2])],
        arrays(inner=np.float32([8, 9])),
    )
    four_five = raw_tensor("", 1, (2,), np.float32([4, 5]).tobytes())
    other = helper.make_graph(
        [helper.make_node("Constant", [], ["e"], name="c", value=four_five)],
        "else",
        [],
        [helper.make_tensor_value_info("e", TensorProto.FLOAT, [2])],
    )
    tensors = {
        "weight": np.arange(6, dtype=np.float32).reshape(2, 3) / 3,
        "half": np.float16([1.5, -2.5]),
        "double": np.float64([0.1]),
        "int8": np.int8([-1, 2, 3]),
        "int64": np.int64([1 << 40]),
        "scalar": np.float32(3.5),
        "empty": np.zeros((0, 4), np.float32),
        "rank5": np.arange(4, dtype=np.int32).reshape(2, 1, 1, 2, 1),
        "l" * 80: np.float32([7]),
    }
    made = arrays(**tensors)
    made.append(helper.make_tensor("typed", TensorProto.FLOAT, [2], [1.25, -1.25]))
    made.append(helper.make_tensor("text", TensorProto.STRING, [2], [b"a", "ü".encode()]))
    nodes = [helper.make_node("Identity", [one.name], [f"y{number}"]) for number, one in enumerate(made)]
    nodes.append(helper.make_node("If", ["cond"], ["z"], name="choose", then_branch=then, else_branch=other))
    model = model_of(*made, nodes=nodes)
    model.graph.input.append(helper.make_tensor_value_info("cond", TensorProto.BOOL, []))
    model.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [2]))
    return model


# --- archives by hand ----------------------------------------------------------------------------------------------
def safetensors_header(path: Path) -> tuple[dict[str, Any], bytes]:
    """Header and data of a safetensors file."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def write_safetensors(path: Path, header: Any, data: bytes, *, text: bytes | None = None) -> Path:
    """A safetensors file with exactly this header."""
    text = json.dumps(header).encode() if text is None else text
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def graph_in(path: Path, change: Callable[[onnx.ModelProto], None]) -> Path:
    """Change the graph that a safetensors archive embeds, in place; its size must stay what it is."""
    header, data = safetensors_header(path)
    begin, end = header["model.onnx"]["data_offsets"]
    model = onnx.load_from_string(data[begin:end])
    change(model)
    changed = model.SerializeToString()
    assert len(changed) == end - begin
    whole = path.read_bytes()
    start = len(whole) - len(data) + begin
    path.write_bytes(whole[:start] + changed + whole[start + len(changed) :])
    return path


assert ml_dtypes.bfloat16  # makes numpy know the name that the safetensors package asks it for
