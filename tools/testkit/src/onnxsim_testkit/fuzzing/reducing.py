"""Making a model on which something fails smaller, as long as it still fails."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from onnx import helper

from .case import RandomModel
from .growing import bodies, dtype_of, reads_and_makes

Fails = Callable[[RandomModel], bool]


def reduced(case: RandomModel, fails: Fails, seconds: float = math.inf) -> RandomModel:
    """A smaller model that fails too: fewer outputs and nodes, values fed instead of computed.

    After that time it is the smallest one found by then.
    """
    end = time.monotonic() + seconds
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(case):
            if time.monotonic() > end:
                break
            if _still_fails(smaller, fails):
                case, changed = smaller, True
                break
    return case


def _still_fails(case: RandomModel, fails: Fails) -> bool:
    try:
        case.run(case.model, case.feeds[0])
    except Exception:  # noqa: BLE001  a change that makes the model invalid is not wanted
        return False
    return fails(case)


def _smaller(case: RandomModel) -> Iterator[RandomModel]:
    model = case.model
    for feeds in case.feeds if len(case.feeds) > 1 else ():
        yield _cleaned(case, _copy(model), [feeds])
    if len(model.graph.output) > 1:
        for output in model.graph.output:
            copy = _copy(model)
            del copy.graph.output[:]
            copy.graph.output.append(output)
            yield _cleaned(case, copy)
    for field in ("value_info", "doc_string"):
        if getattr(model.graph, field):
            copy = _copy(model)
            copy.graph.ClearField(field)
            yield _cleaned(case, copy)
    yield from _fed_instead(case)
    yield from _bypassed(case)
    yield from _declared_again(case)


def _fed_instead(case: RandomModel) -> Iterator[RandomModel]:
    """A node's results become inputs of the model, the later the better."""
    try:
        arrays = _all_values(case)
    except Exception:  # noqa: BLE001  some values cannot be outputs
        return
    for index in reversed(range(len(case.model.graph.node))):
        node = case.model.graph.node[index]
        outputs = {info.name for info in case.model.graph.output}
        if any(name in outputs or not isinstance(arrays.get(name), np.ndarray) for name in node.output if name):
            continue
        copy = _copy(case.model)
        del copy.graph.node[index]
        feeds = dict(case.feeds[0])
        for name in node.output:
            if name:
                copy.graph.input.append(helper.make_tensor_value_info(name, dtype_of(arrays[name]), arrays[name].shape))
                feeds[name] = arrays[name]
        yield _cleaned(case, copy, [feeds])


def _all_values(case: RandomModel) -> dict[str, Any]:
    copy = _copy(case.model)
    stated = {info.name for info in copy.graph.output}
    names = [name for node in copy.graph.node for name in node.output if name and name not in stated]
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return case.run(copy, case.feeds[0])


def _bypassed(case: RandomModel) -> Iterator[RandomModel]:
    """A node is left out and its first result is one of its inputs; or it becomes an Identity in a body."""
    for path, node in _nodes(case.model.graph):
        if node.op_type == "Identity":
            continue
        for name in dict.fromkeys(node.input):
            if name and node.output:
                copy = _copy(case.model)
                graph, found = _at(copy.graph, path)
                graph.node[found].CopyFrom(helper.make_node("Identity", [name], [node.output[0]]))
                yield _cleaned(case, copy)
    for path, node in _nodes(case.model.graph):
        if node.op_type == "Identity":
            copy = _copy(case.model)
            graph, found = _at(copy.graph, path)
            if node.output[0] not in {info.name for info in graph.output}:
                del graph.node[found]
                _rename_reads(copy.graph, node.output[0], node.input[0])
                yield _cleaned(case, copy)


def _declared_again(case: RandomModel) -> Iterator[RandomModel]:
    """Inputs with the sizes that are fed, without a size, nodes and constants without names."""
    for index, info in enumerate(case.model.graph.input):
        array = case.feeds[0].get(info.name)
        if isinstance(array, np.ndarray):
            plain = helper.make_tensor_value_info(info.name, dtype_of(array), array.shape)
            if plain.type != info.type:
                copy = _copy(case.model)
                copy.graph.input[index].CopyFrom(plain)
                yield _cleaned(case, copy)
    named = [node for node in case.model.graph.node if node.name]
    if named:
        copy = _copy(case.model)
        for node in copy.graph.node:
            node.name = ""
        yield _cleaned(case, copy)


Path = tuple[tuple[int, int], ...]


def _nodes(graph: onnx.GraphProto, path: Path = ()) -> Iterator[tuple[tuple[Any, ...], onnx.NodeProto]]:
    for index, node in enumerate(graph.node):
        yield (*path, index), node
        for number, body in enumerate(bodies(node)):
            yield from _nodes(body, (*path, (index, number)))


def _at(graph: onnx.GraphProto, path: tuple[Any, ...]) -> tuple[onnx.GraphProto, int]:
    for index, number in path[:-1]:
        graph = list(bodies(graph.node[index]))[number]
    return graph, path[-1]


def _rename_reads(graph: onnx.GraphProto, old: str, new: str) -> None:
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        for body in bodies(node):
            _rename_reads(body, old, new)


def _copy(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def _cleaned(case: RandomModel, model: onnx.ModelProto, feeds: Sequence[Mapping[str, Any]] | None = None) -> RandomModel:
    """Without what nobody reads."""
    graph = model.graph
    needed = {info.name for info in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            kept.append(node)
            needed |= reads_and_makes([node])[0]
    kept.reverse()
    nodes = [_copied(node) for node in kept]
    del graph.node[:]
    graph.node.extend(nodes)
    for holder in (graph.initializer, graph.input):
        left = [_copied(item) for item in holder if item.name in needed]
        del holder[:]
        holder.extend(left)
    called = {node.op_type for node in graph.node}
    functions = [_copied(function) for function in model.functions if function.name in called]
    del model.functions[:]
    model.functions.extend(functions)
    names = {info.name for info in graph.input}
    fed = [{name: value for name, value in each.items() if name in names} for each in (feeds or case.feeds)]
    fixed = {name: sizes for name, sizes in case.fixed.items() if name in names}
    return replace(case, model=model, feeds=fed, fixed=fixed)


def _copied(message: Any) -> Any:
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def as_text(case: RandomModel) -> str:
    """The model in ONNX text, what its custom operators compute, and what it is fed."""
    with np.printoptions(threshold=48):
        fed = [f"{name} = {value!r}" for name, value in case.feeds[0].items()]
    unknown = [onnx.printer.to_text(function) for function in case.definitions]
    return "\n".join([onnx.printer.to_text(case.model), *unknown, *fed])
