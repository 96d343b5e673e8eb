"""A graph in ONNX text as the rewriting machinery sees it: read, inferred, and a builder at one of its nodes."""

from __future__ import annotations

import numpy as np
from weights import given

from onnxsim_core.infer.engine import Inference
from onnxsim_core.infer.tail import infer_by_schema
from onnxsim_core.ir.graph import Node, Value
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops import load as load_ops
from onnxsim_core.passes.prepare import drop_default_inputs
from onnxsim_core.rewrite.builder import Builder
from onnxsim_testkit import model


class Inferred:
    """`values` and `nodes` by the name of the value and of a node's first output; `op` builds before the last node."""

    def __init__(self, text: str, opset: int = 17, allows_growth: bool = True, **arrays: np.ndarray) -> None:
        load_ops()
        self.model = read_model(model(given(text, **arrays), opset=opset).SerializeToString())
        drop_default_inputs(self.model.graph)
        ctx = Inference(self.model, tail=infer_by_schema)
        ctx.walk(self.model.graph)
        graph = self.model.graph
        self.nodes: dict[str, Node] = {node.outputs[0].name: node for node in graph}
        made = [value for node in graph for value in node.outputs]
        self.values: dict[str, Value] = {value.name: value for value in (*graph.inputs, *graph.constants, *made)}
        self.op = Builder(self.model, ctx, lambda nbytes, replaced: allows_growth)
        self.op.at(graph.last)
