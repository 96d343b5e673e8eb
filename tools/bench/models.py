"""Models to measure with: chains of one transformer-like block, files that are almost all weights, and one whose weights
lie in a file that is almost all holes.

    python -m bench.models chain PATH NODES {static,dynamic}
    python -m bench.models heavy PATH MEGABYTES
    python -m bench.models sparse PATH GIGABYTES

writes one and prints how many nodes it has. It is a program so that what measures stays small: a process inherits the
peak of memory of the one that started it.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS = 64, 4
HEAD_WIDTH = WIDTH // HEADS


class Chain:
    """A chain of blocks as exporters write them: every reshape asks its input for the sizes again."""

    def __init__(self, dynamic: bool) -> None:
        self.shape: list[int | str] = ["batch", "seq", WIDTH] if dynamic else [2, 8, WIDTH]
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.rng = np.random.default_rng(0)

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], name=f"{op_type}_{len(self.nodes)}", **attributes))
        return name

    def integers(self, *numbers: int) -> str:
        tensor = helper.make_tensor("", TensorProto.INT64, [len(numbers)], numbers)
        return self.node("Constant", value=tensor)

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(self.rng.standard_normal(shape, dtype=np.float32) / 8, name))
        return name

    def size(self, x: str, axis: int) -> str:
        index = self.node("Constant", value=helper.make_tensor("", TensorProto.INT64, [], [axis]))
        return self.node("Unsqueeze", self.node("Gather", self.node("Shape", x), index, axis=0), self.integers(0))

    def heads(self, x: str) -> str:
        """[batch, seq, width] -> [batch, heads, seq, width / heads], sizes asked of the input."""
        sizes = (self.size(x, 0), self.size(x, 1), self.integers(HEADS), self.integers(HEAD_WIDTH))
        return self.node("Transpose", self.node("Reshape", x, self.node("Concat", *sizes, axis=0)), perm=[0, 2, 1, 3])

    def block(self, x: str) -> str:
        split = self.heads(self.node("Add", self.node("MatMul", x, self.weight(WIDTH, WIDTH)), self.weight(WIDTH)))
        mixed = self.node("Identity", self.node("Softmax", split, axis=-1))
        joined = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        sizes = (self.size(joined, 0), self.size(joined, 1), self.integers(WIDTH))
        merged = self.node("Reshape", joined, self.node("Concat", *sizes, axis=0))
        return self.node("Add", x, self.node("Dropout", merged))

    def model(self, nodes: int) -> onnx.ModelProto:
        value = "x"
        while len(self.nodes) < nodes:
            value = self.block(value)
        info = helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)
        result = helper.make_tensor_value_info(value, TensorProto.FLOAT, self.shape)
        graph = helper.make_graph(self.nodes, "chain", [info], [result], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write_chain(path: str, nodes: int, dynamic: bool) -> int:
    """Write a chain of about that many nodes; gives how many it has."""
    model = Chain(dynamic).model(nodes)
    onnx.save(model, path)
    return len(model.graph.node)


def write_heavy(path: str, megabytes: int, layers: int = 16) -> int:
    """Write a model whose inline weights have about that many megabytes; gives the number of its nodes."""
    width = int((megabytes * 2**20 / 4 / layers) ** 0.5)
    rng = np.random.default_rng(0)
    nodes, weights, value = [], [], "x"
    for i in range(layers):
        weights.append(numpy_helper.from_array(rng.random((width, width), dtype=np.float32), f"w{i}"))
        nodes += [
            helper.make_node("MatMul", [value, f"w{i}"], [f"m{i}"]),
            helper.make_node("Identity", [f"m{i}"], [f"i{i}"]),
            helper.make_node("Relu", [f"i{i}"], [f"r{i}"]),
        ]
        value = f"r{i}"
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", width])
    result = helper.make_tensor_value_info(value, TensorProto.FLOAT, ["n", width])
    graph = helper.make_graph(nodes, "heavy", [info], [result], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return len(nodes)


def write_sparse(path: str, gigabytes: int) -> int:
    """Write a model with external weights of so many GiB, a few bytes in each and holes else; gives its nodes."""
    rows, layers = 1 << 15, gigabytes * 8
    nodes, weights, value = [], [], "x"
    with open(path + ".data", "wb") as data:
        for i in range(layers):
            weight = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[rows, 1024],
                                 data_location=TensorProto.EXTERNAL)
            for key, entry in (("location", Path(path).name + ".data"), ("offset", i << 27), ("length", 1 << 27)):
                weight.external_data.add(key=key, value=str(entry))
            weights.append(weight)
            data.seek((i << 27) + 4096 * i)
            data.write(np.float32(i + 1).tobytes())
            nodes += [helper.make_node("Identity", [value], [f"i{i}"]), helper.make_node("Add", [f"i{i}", f"w{i}"], [f"a{i}"])]
            value = f"a{i}"
        data.truncate(layers << 27)
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 1024])
    result = helper.make_tensor_value_info(value, TensorProto.FLOAT, [rows, 1024])
    graph = helper.make_graph(nodes, "sparse", [info], [result], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return len(nodes)


def main() -> int:
    kind, path, size, *family = sys.argv[1:]
    if kind == "chain":
        print(write_chain(path, int(size), family == ["dynamic"]))
    else:
        print(write_heavy(path, int(size)) if kind == "heavy" else write_sparse(path, int(size)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
