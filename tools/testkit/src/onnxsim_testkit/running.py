"""The judge: what a model computes, according to onnxruntime with its optimisations off."""

import importlib.util
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

ModelLike = onnx.ModelProto | bytes | str | os.PathLike[str]


def judge() -> str:
    """Name what `run` uses: `onnxruntime` where it is installed, else `onnx.reference`."""
    return "onnxruntime" if importlib.util.find_spec("onnxruntime") else "onnx.reference"


def run(model: ModelLike, feeds: Mapping[str, Any], optimize: bool = False) -> dict[str, Any]:
    """Run a model and return every graph output by its name.

    Args:
        model: a model, its bytes or its path; external data needs the path.
        feeds: arrays (or lists of arrays for a sequence) by input name.
        optimize: let onnxruntime optimise the graph; off, it computes what the model says.
    """
    if judge() == "onnxruntime":
        return _run_onnxruntime(model, feeds, optimize)
    return _run_reference(model, feeds)


def _run_onnxruntime(model: ModelLike, feeds: Mapping[str, Any], optimize: bool) -> dict[str, Any]:
    import onnxruntime as ort

    levels = ort.GraphOptimizationLevel
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
    if isinstance(model, onnx.ModelProto):
        model = model.SerializeToString()
    source = model if isinstance(model, bytes) else os.fspath(model)
    session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    if not any(_is_foreign(value) for value in feeds.values()):
        return dict(zip(names, session.run(None, dict(feeds)), strict=True))
    values = {name: _ort_value(ort, value) for name, value in feeds.items()}
    return dict(zip(names, [value.numpy() for value in session.run_with_ort_values(None, values)], strict=True))


def _is_foreign(value: Any) -> bool:
    """Tell whether numpy itself does not know the element type (bfloat16, float8, int4, ...)."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "V"


def _ort_value(ort: Any, value: Any) -> Any:
    if _is_foreign(value):
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(value, onnx.helper.np_dtype_to_tensor_dtype(value.dtype))
    return ort.OrtValue.ortvalue_from_numpy(value)


def _run_reference(model: ModelLike, feeds: Mapping[str, Any]) -> dict[str, Any]:
    from onnx.reference import ReferenceEvaluator

    if isinstance(model, bytes):
        model = onnx.load_from_string(model)
    elif not isinstance(model, onnx.ModelProto):
        model = onnx.load(os.fspath(model))
    evaluator = ReferenceEvaluator(model)
    return dict(zip(evaluator.output_names, evaluator.run(None, dict(feeds)), strict=True))
