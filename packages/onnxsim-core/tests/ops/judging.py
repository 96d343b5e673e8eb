"""Shape rules and kernels against the judge: what is stated of a value must hold for the value onnxruntime computes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from malformed import show_malformed

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir import dims
from onnxsim_core.ir.dtypes import from_numpy
from onnxsim_core.ir.graph import Model, Value
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.registry import KERNELS
from onnxsim_testkit.comparing import assert_same_value
from onnxsim_testkit.models import model as parse
from onnxsim_testkit.running import run


class Judged:
    """A model whose facts were compared with a run. `values` are ours by name, `actual` what the judge computed."""

    def __init__(self, model: Model, ctx: Inference, values: dict[str, Value], actual: dict[str, Any]) -> None:
        self.model = model
        self.ctx = ctx
        self.values = values
        self.actual = actual

    def shape(self, name: str) -> str:
        """The shape we state, as text: `[N, 3*M]`, or `?` for an unknown rank. Nameless sizes print as `_`."""
        shape = self.values[name].shape
        return "?" if shape is None else self._text(shape)

    def data(self, name: str) -> str:
        """The elements we state, as text, or `?`."""
        data = self.values[name].data
        return "?" if data is None else self._text(data)

    def _text(self, sizes: tuple[Any, ...]) -> str:
        nameless = self.model.symbols.is_anonymous
        return f"[{', '.join('_' if isinstance(size, dims.Dim) and nameless(size) else str(size) for size in sizes)}]"


def facts(text: str, *, opset: int = 21, **initializers: Any) -> Judged:
    """What we state of the values of a model, without a run."""
    return _infer(_parsed(text, opset, initializers), {})


def _parsed(text: str, opset: int, initializers: Mapping[str, Any]) -> onnx.ModelProto:
    proto = parse(text, opset=max(opset, 7), initializers=initializers)
    proto.opset_import[0].version = opset
    return proto


def _infer(proto: onnx.ModelProto, actual: dict[str, Any]) -> Judged:
    model = show_malformed(read_model(proto.SerializeToString()))
    ctx = Inference(model)
    for _ in range(2):
        ctx.walk(model.graph)
    values = {value.name: value for value in [*model.graph.inputs, *model.graph.constants]}
    for node in model.graph:
        values.update((value.name, value) for value in node.outputs)
    # A constant is left out: its elements are only listed once somebody asks.
    before = {name: (value.dtype, value.shape, value.data) for name, value in values.items() if value.tensor is None}
    ctx.walk(model.graph)
    for name, facts_before in before.items():
        value = values[name]
        assert (value.dtype, value.shape, value.data) == facts_before, f"{name} changed when it was inferred again"
    return Judged(model, ctx, values, actual)


def judge(
    text: str,
    feeds: Mapping[str, Any] | None = None,
    *,
    opset: int = 21,
    kernels: bool = True,
    tolerance: float = 0.0,
    **initializers: Any,
) -> Judged:
    """Run a model, and compare every fact and every kernel's result with what comes out.

    Args:
        text: a graph in the ONNX text format.
        feeds: arrays by input name.
        opset: version of the default domain.
        kernels: every node must have a kernel that gives the judge's result (when it does not decline).
        tolerance: relative and absolute, for floats that kernels compute.
        initializers: constants by name.
    """
    proto = _parsed(text, opset, initializers)
    feeds = dict(feeds or {})
    wanted = onnx.ModelProto()
    wanted.CopyFrom(proto)
    stated = {output.name for output in wanted.graph.output}
    for node in wanted.graph.node:
        wanted.graph.output.extend(
            onnx.ValueInfoProto(name=name) for name in node.output if name and name not in stated
        )
    actual = run(wanted, feeds)
    judged = _infer(proto, actual)
    constants = {value.name: value.tensor.numpy() for value in judged.model.graph.constants if value.tensor}
    known = {**constants, **feeds, **actual}
    sizes: dict[str, int] = {}
    for value in judged.values.values():
        if isinstance(known.get(value.name), np.ndarray):
            _assert_facts(value, known[value.name], sizes)
    if kernels:
        _assert_kernels(judged, known, tolerance)
    return judged


def _assert_facts(value: Value, array: np.ndarray, sizes: dict[str, int]) -> None:
    if value.dtype:
        assert value.dtype == from_numpy(array.dtype), f"dtype of {value.name}"
    if value.shape is not None:
        assert len(value.shape) == array.ndim, f"rank of {value.name}: {value.shape} is not {array.shape}"
        for stated, actual in zip(value.shape, array.shape, strict=True):
            _assert_size(stated, actual, sizes, f"shape of {value.name}: {value.shape} is not {array.shape}")
    if value.data is not None:
        assert len(value.data) == array.size, f"data of {value.name}: {value.data} is not {array}"
        for stated, actual in zip(value.data, array.reshape(-1).tolist(), strict=True):
            _assert_size(stated, int(actual), sizes, f"data of {value.name}: {value.data} is not {array}")


def _assert_size(stated: Any, actual: int, sizes: dict[str, int], message: str) -> None:
    if isinstance(stated, dims.Dim):
        if stated.is_symbol and stated.name not in sizes:
            sizes[str(stated.name)] = actual
        if any(symbol.name not in sizes for symbol in dims.symbols(stated)):
            return
        stated = dims.evaluate(stated, sizes)
    assert stated == actual, message


def _assert_kernels(judged: Judged, known: Mapping[str, Any], tolerance: float) -> None:
    table = KERNELS.table(judged.model.opsets)
    for node in judged.model.graph:
        kernel = table[node.op_type]
        arrays = [None if value is None else known[value.name] for value in node.inputs]
        result = kernel(node, arrays, judged.ctx)
        if result is None:
            continue
        results = result if isinstance(result, list | tuple) else [result]
        for value, array in zip(node.outputs, results, strict=True):
            assert isinstance(array, np.ndarray), f"{node} gives no array"
            assert_same_value(array, known[value.name], rtol=tolerance, atol=tolerance, where=f"kernel of {node}")
