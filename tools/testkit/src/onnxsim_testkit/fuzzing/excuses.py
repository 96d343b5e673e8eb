"""What looks like a fault of the simplifier and is one of the judge, or of the model."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

from ..running import run_reference
from .case import RandomModel
from .differences import difference


def is_garbage(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Does the original itself give something else each time, because onnxruntime leaves memory as it was?"""
    expected, *others = [case.run(case.model, feeds) for _ in range(4)]
    return any(difference(other[name], expected[name], exact=True) for other in others for name in expected)


def is_cast_beyond(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Is a float cast to an integer type that does not hold it? What comes of that is left to the processor."""
    casts = {node.input[0]: attribute.i for node in case.model.graph.node if node.op_type == "Cast"
             for attribute in node.attribute if attribute.name == "to"}  # fmt: skip
    inner = onnx.ModelProto()
    inner.CopyFrom(case.model)
    known = {info.name for info in (*inner.graph.output, *inner.graph.input)}
    inner.graph.output.extend(onnx.ValueInfoProto(name=name) for name in casts if name not in known)
    found = {**feeds, **case.run(inner, feeds)}
    for name, kind in casts.items():
        value, dtype = found[name], onnx.helper.tensor_dtype_to_np_dtype(kind)
        if dtype.kind in "iu" and value.dtype.kind == "f":
            limits = np.iinfo(dtype)
            if not ((value >= limits.min) & (value <= limits.max)).all():
                return True
    return False


def is_lost_text(model: onnx.ModelProto, feeds: Mapping[str, Any], name: str, actual: Any) -> bool:
    """Is this the text that onnx.reference gives? onnxruntime forgets words on their way, as from a Gather to an Identity."""
    if not isinstance(actual, np.ndarray) or actual.dtype.kind not in "OUS":
        return False
    try:
        wanted = run_reference(model, feeds)[name]
    except Exception:  # noqa: BLE001  the reference knows fewer operators
        return False
    return not difference(actual, wanted, exact=True)


def is_outgrown(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Does the model make no sense with inputs of these sizes, which onnxruntime does not notice?

    It takes the pieces of a Concat by turns, whatever they measure, if some are empty, and leaves memory between them.
    """
    return _is_consistent(case.model, case.feeds[0]) and not _is_consistent(case.model, feeds)


def _is_consistent(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> bool:
    sized = onnx.ModelProto()
    sized.CopyFrom(model)
    for info in sized.graph.input:
        if isinstance(feeds.get(info.name), np.ndarray):
            _state(info, feeds[info.name])
    try:
        onnx.shape_inference.infer_shapes(sized, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError:
        return False
    return True


def is_refused_folded(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Is the model invalid, but so that onnxruntime too finds out only when it folds constants?"""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(case.model)
    given = {tensor.name for tensor in case.model.graph.initializer}
    inputs = [info for info in case.model.graph.input if info.name not in given]
    del fixed.graph.input[:]
    fixed.graph.input.extend(inputs)
    try:
        case.run(fixed, feeds, optimize=True)
    except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
        return True
    return False


def is_missized(case: RandomModel) -> bool:
    """Does onnx's own inference refuse the sizes that values of the original have at run time?

    Before operator set 22 it counts a last window that begins in the padding, which no runtime computes.
    """
    stated = onnx.ModelProto()
    stated.CopyFrom(case.model)
    graph = stated.graph
    known = {info.name for info in (*graph.output, *graph.input)}
    names = {name for node in graph.node for name in node.output if name and name not in known}
    every = onnx.ModelProto()
    every.CopyFrom(stated)
    every.graph.output.extend(onnx.ValueInfoProto(name=name) for name in sorted(names))
    try:
        found = {**case.feeds[0], **case.run(every, case.feeds[0])}
    except Exception:  # noqa: BLE001  some values cannot be outputs
        return False
    del graph.value_info[:]
    for name in sorted(names):
        if isinstance(found[name], np.ndarray):
            kind = onnx.helper.np_dtype_to_tensor_dtype(found[name].dtype) if found[name].dtype.kind != "O" else 8
            graph.value_info.append(onnx.helper.make_tensor_value_info(name, kind, found[name].shape))
    for info in (*graph.input, *graph.output):
        if isinstance(found.get(info.name), np.ndarray):
            _state(info, found[info.name])
    try:
        onnx.checker.check_model(stated, full_check=True)
    except Exception:  # noqa: BLE001  the checker's errors have no common base
        return True
    return False


def _state(info: onnx.ValueInfoProto, array: np.ndarray) -> None:
    shape = info.type.tensor_type.shape
    shape.ClearField("dim")
    for size in array.shape:
        shape.dim.add().dim_value = size
