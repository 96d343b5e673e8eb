"""Judging what a simplifier makes of the cases of onnx's own test suite.

A case is judged by the first runtime that passes it as it is: onnxruntime without optimisations, else onnx.reference.
It is then simplified in several ways, and each result must give the expected outputs in that runtime.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from .backend_suite import Case, Feeds
from .comparing import assert_same_value
from .running import run, run_reference

# Two units in the last place, where the suite's own tolerance is meant for float32.
NARROW = {"bfloat16": 2**-6, "float16": 2**-9}
Simplify = Callable[..., onnx.ModelProto]
Runtime = Callable[[onnx.ModelProto, Feeds], dict[str, Any]]
RUNTIMES: dict[str, Runtime] = {"onnxruntime": run, "onnx.reference": run_reference}


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to simplify a case: what is done to the model before, most demanding first, and the options."""

    name: str
    what: str
    changes: tuple[Callable[[onnx.ModelProto, Feeds], tuple[onnx.ModelProto, Feeds]], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Outcome:
    """What came of one case: `judge` is the runtime, or empty when none passes the case, and then `why` says why not.

    `variants` holds, per variant, nothing when the outputs were right, "not run" when no runtime runs the changed model
    either, and else what went wrong.
    """

    name: str
    kind: str
    judge: str = ""
    why: str = ""
    variants: dict[str, str] = field(default_factory=dict)

    @property
    def faults(self) -> dict[str, str]:
        return {name: fault for name, fault in self.variants.items() if fault and fault != NOT_RUN}


NOT_RUN = "not run"


def judge_case(case: Case, simplify: Simplify) -> Outcome:
    """Simplify a case in every way and run the results."""
    outcome = Outcome(case.name, case.kind)
    given: dict[str, list[dict[str, Any]]] = {}
    for name, runtime in RUNTIMES.items():
        try:
            given[name] = [runtime(case.model, feeds) for feeds, _ in case.data_sets]
            for outputs, (_, expected) in zip(given[name], case.data_sets, strict=True):
                assert_expected(outputs, expected, case.rtol, case.atol)
        except Exception as error:  # noqa: BLE001  the runtimes' errors have no common base
            outcome.why = outcome.why or one_line(error)
            continue
        outcome.judge, outcome.why = name, ""
        break
    for variant in VARIANTS:
        numbers = range(len(case.data_sets))
        faults = [_fault(case, variant, number, simplify, outcome.judge, given) for number in numbers]
        outcome.variants[variant.name] = next((fault for fault in faults if fault), "")
    return outcome


def _fault(case: Case, variant: Variant, number: int, simplify: Simplify, judge: str,
           given: Mapping[str, list[dict[str, Any]]]) -> str:  # fmt: skip
    """Nothing if all is well with one data set of a case, else what is not."""
    feeds, expected = case.data_sets[number]
    fault = ""
    for change in variant.changes or (unchanged,):
        model, fed = change(case.model, feeds)
        simplified = None
        try:
            simplified = simplify(model, **variant.options)
            onnx.checker.check_model(simplified)
            if not judge:
                return NOT_RUN
            outputs = RUNTIMES[judge](simplified, fed)
            _assert_right(outputs, expected, case, {name: runs[number] for name, runs in given.items()}, judge)
            return ""
        except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
            fault = one_line(error)
        if simplified is None or _runs(model, fed, judge):
            return fault
    return NOT_RUN


def _assert_right(outputs: Mapping[str, Any], expected: list[Any], case: Case,
                  given: Mapping[str, Mapping[str, Any]], judge: str) -> None:  # fmt: skip
    """Outputs must be those expected, and near those of the original in the same runtime.

    Where onnxruntime runs a model but gives something else than expected, that is what folding may give too.
    """
    try:
        assert_expected(outputs, expected, case.rtol, case.atol)
    except AssertionError:
        if judge == "onnxruntime" or "onnxruntime" not in given:
            raise
        assert_near(outputs, given["onnxruntime"])
        return
    if is_deterministic(case.model):
        assert_near(outputs, given[judge])


def _runs(model: onnx.ModelProto, feeds: Feeds, judge: str) -> bool:
    try:
        RUNTIMES[judge](model, feeds)
    except Exception:  # noqa: BLE001  the runtimes' errors have no common base
        return False
    return True


def one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]


# --- what is done to a model ----------------------------------------------------------------------------------------
def unchanged(model: onnx.ModelProto, feeds: Feeds) -> tuple[onnx.ModelProto, Feeds]:
    return model, feeds


def symbolic(model: onnx.ModelProto, feeds: Feeds) -> tuple[onnx.ModelProto, Feeds]:
    """Every size of every input gets a name of its own; what the file states of other values is forgotten."""
    return _symbolic(model, lambda tensor: True), feeds


def mostly_symbolic(model: onnx.ModelProto, feeds: Feeds) -> tuple[onnx.ModelProto, Feeds]:
    """The same without the lengths of integer vectors: where they hold sizes, runtimes want to know how many."""
    int64 = onnx.TensorProto.INT64
    return _symbolic(model, lambda tensor: tensor.elem_type != int64 or len(tensor.shape.dim) > 1), feeds


def _symbolic(model: onnx.ModelProto, wanted: Callable[[Any], bool]) -> onnx.ModelProto:
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    given = {tensor.name for tensor in changed.graph.initializer}
    for number, info in enumerate(changed.graph.input):
        if info.name not in given and wanted(info.type.tensor_type):
            for axis, dim in enumerate(info.type.tensor_type.shape.dim):
                dim.dim_param = f"s{number}_{axis}"
    for info in changed.graph.output:
        for dim in info.type.tensor_type.shape.dim:
            dim.Clear()
    del changed.graph.value_info[:]
    return changed


def constant(model: onnx.ModelProto, feeds: Feeds) -> tuple[onnx.ModelProto, Feeds]:
    """Every tensor that is fed becomes an initializer, so that whatever can be computed is."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    changed.ir_version = max(changed.ir_version, 4)
    types = {info.name: info.type.tensor_type.elem_type for info in model.graph.input}
    fixed = {name for name, value in feeds.items() if isinstance(value, np.ndarray) and types[name]}
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in fixed]
    left = [info for info in model.graph.input if info.name not in fixed]
    del changed.graph.input[:], changed.graph.initializer[:]
    changed.graph.input.extend(left)
    changed.graph.initializer.extend([*kept, *(_tensor(feeds[name], name, types[name]) for name in sorted(fixed))])
    return changed, {name: value for name, value in feeds.items() if name not in fixed}


def _tensor(array: np.ndarray, name: str, elem_type: int) -> onnx.TensorProto:
    if elem_type == onnx.TensorProto.STRING:
        texts: Any = [str(text).encode() for text in array.reshape(-1).tolist()]
        return helper.make_tensor(name, elem_type, array.shape, texts)
    return numpy_helper.from_array(array, name)


VARIANTS = (
    Variant("defaults", "the model as it is"),
    Variant("subgraphs kept", "with `include_subgraph=False`", options={"include_subgraph": False}),
    Variant("weights opaque", "with `initializers_as_constants=False`", options={"initializers_as_constants": False}),
    Variant("sizes symbolic", "every size of every input named, outputs without sizes", (symbolic, mostly_symbolic)),
    Variant("inputs constant", "every input tensor an initializer, so that what can fold does", (constant,)),
)


# --- what is right --------------------------------------------------------------------------------------------------
RANDOM = {
    "Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
}  # fmt: skip


def is_deterministic(model: onnx.ModelProto) -> bool:
    """Does the model give the same twice? Not with random operators, nor with Dropout in training."""
    kinds = {node.op_type for graph in _graphs(model.graph) for node in graph.node}
    return not kinds & RANDOM and not any(node.op_type in RANDOM for f in model.functions for node in f.node)


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _graphs(attribute.g)


def assert_near(outputs: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Assert that outputs are what the original gave in the same runtime, up to rounding."""
    assert list(outputs) == list(given), f"outputs {list(outputs)}, expected {list(given)}"
    for name, wanted in given.items():
        bound = max(1e-4, NARROW.get(getattr(getattr(wanted, "dtype", None), "name", ""), 0.0))
        assert_same_value(outputs[name], wanted, rtol=bound, atol=bound / 10, where=name)


def assert_expected(outputs: Mapping[str, Any], expected: list[Any], rtol: float, atol: float) -> None:
    """Assert that outputs are what a case expects, under its own bounds; narrow floats may be off by two units."""
    assert len(outputs) == len(expected), f"{len(outputs)} outputs, expected {len(expected)}"
    for (name, actual), wanted in zip(outputs.items(), expected, strict=True):
        _assert_expected(actual, wanted, rtol, atol, name)


def _assert_expected(actual: Any, wanted: Any, rtol: float, atol: float, where: str) -> None:
    if wanted is None or isinstance(wanted, dict):
        assert actual == wanted, f"{where}: {actual!r}, expected {wanted!r}"
    elif isinstance(wanted, list):
        assert isinstance(actual, list) and len(actual) == len(wanted), f"{where}: {actual!r}, expected {wanted!r}"
        for index, (left, right) in enumerate(zip(actual, wanted, strict=True)):
            _assert_expected(left, right, rtol, atol, f"{where}[{index}]")
    else:
        array = np.asarray(actual)
        assert array.shape == wanted.shape, f"{where}: shape {array.shape}, expected {wanted.shape}"
        if wanted.dtype.kind in "OUS":
            np.testing.assert_array_equal(array.astype(object), wanted.astype(object), err_msg=where)
            return
        assert array.dtype == wanted.dtype, f"{where}: type {array.dtype}, expected {wanted.dtype}"
        bound = max(rtol, NARROW.get(wanted.dtype.name, 0.0))
        wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
        left, right = (array, wanted) if wanted.dtype.kind in "biu" else (array.astype(wide), wanted.astype(wide))
        np.testing.assert_allclose(left, right, rtol=bound, atol=atol, err_msg=where)
