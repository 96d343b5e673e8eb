"""Passes that the package onnxoptimizer does: the graph goes to it without large weights, and comes back with them.

Large tensors travel as references of a few bytes. What onnxoptimizer drops is put back: metadata of the graph, of nodes
and of values, sparse initializers and quantization annotations; the rest of the model never leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from ..errors import ModelError, OptionError, PassError
from ..infer.engine import Inference
from ..infer.tail import infer_by_schema
from ..ir.graph import Graph, Model
from ..ir.read import Reader
from ..ir.save import EXTERNAL_FROM
from ..ir.tensors import Tensor
from ..ir.write import Writer
from .engine import Report

_SEES_INPUTS_ONLY = frozenset({"lift_lexical_references", "split_init", "split_predict"})
"""Passes that know a weight by its being an input too."""


def package(names: Sequence[str]) -> ModuleType:
    """The module onnxoptimizer, for these passes.

    Raises:
        OptionError: it is not installed, or too old to know one of them.
    """
    try:
        import onnxoptimizer
    except ImportError:
        raise OptionError(f"pass {names[0]} is done by onnxoptimizer, which is not installed",
                          hint="pip install onnxoptimizer") from None
    known = onnxoptimizer.get_available_passes()
    missing = [name for name in names if name not in known]
    if missing:
        raise OptionError(f"the installed onnxoptimizer has no pass {missing[0]!r}", hint="pip install -U onnxoptimizer")
    found: ModuleType = onnxoptimizer
    return found


def borrow(model: Model, names: Sequence[str], report: Report) -> None:
    """Run passes of onnxoptimizer over the main graph, in this order.

    Raises:
        OptionError: onnxoptimizer is not installed.
        PassError: it fails on this model.
    """
    if not names:
        return
    optimizer = package(names)
    held: dict[str, Tensor] = {}
    Inference(model, tail=infer_by_schema).walk(model.graph)  # what becomes an input or output needs a type
    stub = without_weights(model, held)
    result = stub
    for name in names:
        result = run(optimizer, result, name)
    put_back(stub.graph, result.graph)
    reader = Holder(result, held)
    fresh = reader.model
    fresh.opsets, fresh.functions, fresh.ir_version = model.opsets, model.functions, model.ir_version
    fresh.graph = Graph(fresh, result.graph.name, result.graph)
    try:
        reader.graph(fresh.graph, result.graph, None)
    except ModelError as error:
        raise PassError(f"onnxoptimizer makes an invalid model of this one: {error}", pass_name=", ".join(names)) from error
    model.symbols = fresh.symbols
    model.names = fresh.names
    model._counter = {}
    for graph in fresh.graphs():
        graph.model = model
    model.graph = fresh.graph
    report.fired.update((name, 1) for name in names)


def run(optimizer: ModuleType, proto: Any, name: str) -> Any:
    """A copy of a ModelProto, after one pass.

    Raises:
        PassError: onnxoptimizer fails on this model.
    """
    lent = lend_inputs(proto.graph) if name in _SEES_INPUTS_ONLY else frozenset()
    try:
        result = optimizer.optimize(proto, [name])
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:200]
        raise PassError(f"onnxoptimizer fails on this model: {reason}", pass_name=name) from error
    take_back(proto.graph, lent)
    take_back(result.graph, lent & {tensor.name for tensor in result.graph.initializer})
    return result


def lend_inputs(graph: Any) -> frozenset[str]:
    """Make inputs of all initializers, as models had to before IR version 4; which have been added.

    Those of bodies become Constant nodes: the inputs of a body are given by its owner.
    """
    from onnx import helper

    for body in _bodies(graph):
        constants = [helper.make_node("Constant", (), (tensor.name,), value=tensor) for tensor in body.initializer]
        if constants:
            nodes = [*constants, *body.node]
            del body.initializer[:], body.node[:]
            body.node.extend(nodes)
    inputs = {info.name for info in graph.input}
    added = [tensor for tensor in graph.initializer if tensor.name not in inputs]
    graph.input.extend(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims) for tensor in added)
    return frozenset(tensor.name for tensor in added)


def take_back(graph: Any, names: frozenset[str]) -> None:
    """Make these no inputs."""
    if names:
        kept = [info for info in graph.input if info.name not in names]
        del graph.input[:]
        graph.input.extend(kept)


def without_weights(model: Model, held: dict[str, Tensor]) -> Any:
    """The model as a ModelProto whose large tensors are references to what is put into `held`; no functions."""
    from onnx import ModelProto

    def place(tensor: Tensor) -> tuple[str, int, int] | None:
        if tensor.nbytes < EXTERNAL_FROM or tensor.dtype == 8:
            return None
        key = str(len(held))
        held[key] = tensor
        return key, 0, tensor.nbytes

    proto = ModelProto()
    proto.ParseFromString(Writer(model, place).rope().tobytes())
    del proto.functions[:]
    return proto


class Holder(Reader):
    """A reader that finds the tensors of references among those that were held."""

    def __init__(self, proto: Any, held: dict[str, Tensor]) -> None:
        super().__init__(proto)
        self.held = held

    def tensor(self, proto: Any) -> Tensor:
        """The tensor of a TensorProto."""
        if proto.data_location != 1:
            return super().tensor(proto)
        return self.held[next(entry.value for entry in proto.external_data if entry.key == "location")]


def put_back(before: Any, after: Any) -> None:
    """Give a GraphProto what the original has and it lost. Nodes are known by their outputs, or their name."""
    for field in ("metadata_props", "quantization_annotation", "sparse_initializer"):
        if not getattr(after, field):
            getattr(after, field).extend(getattr(before, field))
    made = {name for node in _nodes(after) for name in node.output}
    kept = {info.name for info in after.value_info}
    after.value_info.extend(info for info in before.value_info if info.name in made and info.name not in kept)
    for ours, theirs in ((before.input, after.input), (before.output, after.output)):
        known = {info.name: info for info in ours}
        for place, info in enumerate(theirs):
            # Inputs and outputs may have been renamed; as long as none came or went, the place tells which is which.
            original = known.get(info.name, ours[place] if len(ours) == len(theirs) else None)
            if original is not None and not info.metadata_props:
                info.metadata_props.extend(original.metadata_props)
    by_outputs = {tuple(node.output): node for node in _nodes(before)}
    by_name = {node.name: node for node in _nodes(before) if node.name}
    for node in _nodes(after):
        source = by_outputs.get(tuple(node.output)) or by_name.get(node.name)
        if source is not None and not node.metadata_props:
            node.metadata_props.extend(source.metadata_props)


def _nodes(graph: Any) -> Iterator[Any]:
    """The nodes of a GraphProto and of the graphs inside."""
    yield from graph.node
    for body in _bodies(graph):
        yield from body.node


def _bodies(graph: Any) -> Iterator[Any]:
    """The graphs inside a GraphProto, and inside those."""
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == 5:
                yield attribute.g
                yield from _bodies(attribute.g)
