"""Runs what has no kernel here: the waiting nodes together in one onnxruntime session, else with onnx's own evaluator.

A batch is one small model: constants below a mebibyte are its initializers, larger ones are fed where they lie. When a
batch fails it is halved until the nodes that fail stand alone; those stay in the graph, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..ir.dtypes import STRING, name, numpy_dtype
from ..ir.graph import Node, Value, nested_graphs
from . import policy
from .hazards import dangerous
from .providers import Provider, check_providers, has_onnxruntime
from .stub import Stub

if TYPE_CHECKING:
    from ..rewrite.driver import Driver
    from .engine import Folder

Run = Callable[[Stub], "list[Any]"]

BATCH_BYTES = 256 << 20
"""Constants and results of one session together stay below this, as far as they are known beforehand."""
SESSIONS = 256
"""Sessions after which looking for the failing nodes of a round ends."""
MISJUDGED = frozenset({"Attention", "BatchNormalization", "ConvTranspose", "Loop", "MaxPool", "MaxUnpool", "Resize"})
"""Operators of which onnx's own evaluator gets some form wrong: without onnxruntime they stay.

A Loop without a condition never runs there, groups of a ConvTranspose are mixed up, padding of integers wins a MaxPool.
"""


def run_pending(folder: Folder, driver: Driver, providers: Sequence[Provider] = (), watcher: Any = None) -> int:
    """Compute the nodes `folder` left to a runtime and put the results in their place; gives how many were replaced.

    `watcher` (the run's `Phases`) is told of every onnxruntime session.

    Raises:
        OptionError: a provider is not available.
    """
    chosen = check_providers(providers)
    with_onnxruntime = has_onnxruntime()
    waiting = []
    later: dict[Node, None] = {}
    for node in folder.pending:
        if not is_ready(node):
            # What a body reads from around it may become known while the node itself is not visited again.
            if node.alive and node.bodies:
                later[node] = None
        else:
            danger = dangerous(node)
            if danger is None and not with_onnxruntime and is_misjudged(node):
                danger = "onnx's own evaluator gets it wrong in some form"
            if danger is None:
                waiting.append(node)
            else:
                folder.refused[node] = danger
    folder.pending = later
    if not waiting:
        return 0
    run: Run = OnnxRuntime(chosen, watcher) if with_onnxruntime else evaluate
    changed = 0
    for batch in _batches(waiting):
        for node, arrays in _computed(run, batch, folder):
            constants = folder.accept(node, arrays) if node.alive else None
            if constants is not None and driver.replace(node, constants):
                driver._count("fold_constants", "fold", node)
                changed += 1
    return changed


def is_ready(node: Node) -> bool:
    """Is the node still there, is a result of it read, and is everything that it reads known?"""
    if not node.alive or all(value.is_dead for value in node.outputs):
        return False
    for value in (*node.inputs, *captured(node)):
        if value is not None and not value.is_constant:
            return False
    return True


def is_misjudged(node: Node) -> bool:
    """Would onnx's own evaluator perhaps compute the node, or one in its bodies, wrongly?"""
    if node.op_type in MISJUDGED:
        return True
    return any(is_misjudged(inner) for body in (node.bodies or {}).values() for inner in body)


def captured(node: Node) -> list[Value]:
    """Values that the bodies of a node read from around it."""
    found: dict[Value, None] = {}
    for body in (node.bodies or {}).values():
        inner = set(nested_graphs(body))
        for graph in inner:
            for value in graph.outputs:
                if value.graph not in inner:
                    found[value] = None
            for reader in graph:
                for read in reader.inputs:
                    if read is not None and read.graph not in inner:
                        found[read] = None
    return list(found)


def _batches(nodes: list[Node]) -> Iterator[list[Node]]:
    """Nodes that run together. A node with bodies goes alone, because its bodies name what they read."""
    batch: list[Node] = []
    size = 0
    for node in nodes:
        if node.bodies:
            yield [node]
            continue
        weight = sum(policy.value_bytes(value) for value in (*node.inputs, *node.outputs) if value is not None)
        if batch and size + weight > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(node)
        size += weight
    if batch:
        yield batch


def _computed(run: Run, batch: list[Node], folder: Folder) -> Iterator[tuple[Node, list[Any]]]:
    """Results node by node; those that fail or cannot be kept are refused with a reason."""
    stack = [batch]
    sessions = 0
    while stack:
        nodes = [node for node in stack.pop() if node.alive]
        if not nodes:
            continue
        sessions += 1
        results: dict[Node, list[Any]] | None = None
        try:
            stub = Stub(nodes, folder.ctx.model, captured(nodes[0]) if nodes[0].bodies else ())
        except ModelError as error:  # the bytes of a constant are not to be had
            reason = str(error)
        else:
            results, reason = attempt(run, stub)
        if results is None and len(nodes) > 1 and sessions < SESSIONS:
            middle = len(nodes) // 2
            stack += [nodes[middle:], nodes[:middle]]
            continue
        for node in nodes:
            arrays = None if results is None else results[node]
            refusal = reason if arrays is None else unfit(node, arrays)
            if refusal is None and arrays is not None:
                yield node, arrays
            else:
                folder.refused[node] = refusal or reason


def unfit(node: Node, arrays: Sequence[Any]) -> str | None:
    """Why results cannot stand for the outputs: no tensors, or not of the type and shape that were inferred."""
    for value, array in zip(node.outputs, arrays, strict=True):
        if value.is_dead:
            continue
        if not hasattr(array, "dtype"):
            return "the result is no tensor"
        if value.dtype and value.dtype != STRING and array.dtype != numpy_dtype(value.dtype):
            return f"the runtime gave {array.dtype} where {name(value.dtype)} was inferred"
        if value.shape is not None and (len(value.shape) != array.ndim or any(
                type(size) is int and size != actual for size, actual in zip(value.shape, array.shape, strict=True))):
            return f"the runtime gave the shape {list(array.shape)} where {list(value.shape)} was inferred"
    return None


def attempt(run: Run, stub: Stub) -> tuple[dict[Node, list[Any]] | None, str]:
    """Results by node, or None and why there are none."""
    try:
        return stub.by_node(run(stub)), ""
    except Exception as error:  # noqa: BLE001  the exceptions of the two runtimes have no common base
        return None, " ".join(str(error).split())[:300] or type(error).__name__


class OnnxRuntime:
    """onnxruntime without its own optimisations, and silent."""

    def __init__(self, providers: Sequence[Provider], watcher: Any = None) -> None:
        self.providers = list(providers)
        self.watcher = watcher

    def __call__(self, stub: Stub) -> list[Any]:
        if self.watcher is None:
            return self._session(stub)
        with self.watcher.phase("OrtSession"):
            return self._session(stub)

    def _session(self, stub: Stub) -> list[Any]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        options.enable_mem_pattern = False
        if self.watcher is not None:
            self.watcher.before_session(options)
        session = onnxruntime.InferenceSession(stub.model.SerializeToString(), options, providers=self.providers)
        quiet = onnxruntime.RunOptions()
        quiet.log_severity_level = 4
        results: list[Any] = session.run(stub.outputs, stub.feeds, quiet)
        if self.watcher is not None:
            self.watcher.after_session(session)
        return results


def evaluate(stub: Stub) -> list[Any]:
    """onnx.reference, for where onnxruntime is not installed."""
    import numpy as np
    from onnx.reference import ReferenceEvaluator

    with np.errstate(all="ignore"):
        return list(ReferenceEvaluator(stub.model).run(stub.outputs, stub.feeds))
