"""The judge: what a model computes, according to onnxruntime with its optimisations off.

Where onnxruntime must not be installed beside what is tested, `ONNXSIM_TEST_JUDGE` names a Python that has it; models
are then run there. This file is what that Python executes, so it imports nothing of the testkit.
"""

import atexit
import functools
import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

ModelLike = onnx.ModelProto | bytes | str | os.PathLike[str]
Feeds = Mapping[str, Any]


def judge() -> str:
    """Name what `run` uses: `onnxruntime` where there is one, else `onnx.reference`."""
    found = os.environ.get("ONNXSIM_TEST_JUDGE") or importlib.util.find_spec("onnxruntime")
    return "onnxruntime" if found else "onnx.reference"


def run(model: ModelLike, feeds: Mapping[str, Any], optimize: bool = False) -> dict[str, Any]:
    """Run a model and return every graph output by its name.

    Args:
        model: a model, its bytes or its path; external data needs the path.
        feeds: arrays (or lists of arrays for a sequence) by input name.
        optimize: let onnxruntime optimise the graph; off, it computes what the model says.
    """
    if "ONNXSIM_TEST_JUDGE" in os.environ:
        return _run_elsewhere(model, feeds, optimize)
    if judge() == "onnxruntime":
        return _run_onnxruntime(model, feeds, optimize)
    return run_reference(model, feeds)


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
    stated = [(output.name, output.type) for output in session.get_outputs()]
    if any(kind in WIDE for _, kind in stated) or any(_is_packed(value) for value in feeds.values()):
        proto = onnx.load_from_string(source) if isinstance(source, bytes) else onnx.load(source)
        source, feeds = _widened(proto, feeds, dict(stated))
        session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    if any(_is_foreign(value) for value in feeds.values()):
        values = session.run_with_ort_values(None, {name: _ort_value(ort, value) for name, value in feeds.items()})
        results = [value.numpy() for value in values]
    else:
        results = session.run(None, dict(feeds))
    narrowed = [array.astype(_numpy_type(kind)) if kind in WIDE else array
                for (_, kind), array in zip(stated, results, strict=True)]  # fmt: skip
    return dict(zip([name for name, _ in stated], narrowed, strict=True))


# Element types that onnxruntime does not hand out as arrays, with one that holds all their numbers.
WIDE = {
    "tensor(bfloat16)": "FLOAT",
    "tensor(float8e4m3fn)": "FLOAT",
    "tensor(float8e4m3fnuz)": "FLOAT",
    "tensor(float8e5m2)": "FLOAT",
    "tensor(float8e5m2fnuz)": "FLOAT",
    "tensor(float8e8m0)": "FLOAT",
    "tensor(int4)": "INT8",
    "tensor(uint4)": "UINT8",
    "tensor(int2)": "INT8",
    "tensor(uint2)": "UINT8",
}


def _numpy_type(kind: str) -> Any:
    number = onnx.TensorProto.DataType.Value(kind.removeprefix("tensor(").removesuffix(")").upper())
    return onnx.helper.tensor_dtype_to_np_dtype(number)


def _widened(model: onnx.ModelProto, feeds: Mapping[str, Any], outputs: Mapping[str, str]) -> tuple[bytes, Feeds]:
    """The model with casts around it, so that arrays numpy has can be fed and come out."""
    graph = model.graph
    given = dict(feeds)
    casts = []
    for info in graph.input:
        tensor = info.type.tensor_type
        if _is_packed(given.get(info.name)):
            name, narrow = info.name, tensor.elem_type
            info.name, tensor.elem_type = f"{name}__wide", onnx.TensorProto.INT8
            given[info.name] = given.pop(name).astype(np.int8)
            casts.append(onnx.helper.make_node("Cast", [info.name], [name], to=narrow))
    nodes = [*casts, *graph.node]
    for info in graph.output:
        kind = outputs[info.name]
        if kind in WIDE:
            wide = onnx.TensorProto.DataType.Value(WIDE[kind])
            nodes.append(onnx.helper.make_node("Cast", [info.name], [f"{info.name}__wide"], to=wide))
            info.name = f"{info.name}__wide"
            info.type.tensor_type.elem_type = wide
    del graph.node[:]
    graph.node.extend(nodes)
    return model.SerializeToString(), given


def _is_packed(value: Any) -> bool:
    """Tell whether onnxruntime packs several elements into a byte where numpy has a byte for each."""
    return isinstance(value, np.ndarray) and value.dtype.name in ("int4", "uint4", "int2", "uint2")


def _is_foreign(value: Any) -> bool:
    """Tell whether numpy itself does not know the element type (bfloat16, float8, int4, ...)."""
    return isinstance(value, np.ndarray) and value.dtype.isbuiltin == 2


def _ort_value(ort: Any, value: Any) -> Any:
    if _is_foreign(value):
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(value, onnx.helper.np_dtype_to_tensor_dtype(value.dtype))
    return ort.OrtValue.ortvalue_from_numpy(value)


def run_reference(model: ModelLike, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """Run a model in onnx.reference."""
    from onnx.reference import ReferenceEvaluator

    if isinstance(model, bytes):
        model = onnx.load_from_string(model)
    elif not isinstance(model, onnx.ModelProto):
        model = onnx.load(os.fspath(model))
    evaluator = ReferenceEvaluator(model)
    return dict(zip(evaluator.output_names, evaluator.run(None, dict(feeds)), strict=True))


@functools.cache
def _other_python() -> subprocess.Popen[bytes]:
    command = [os.environ["ONNXSIM_TEST_JUDGE"], __file__]
    environment = {**os.environ, "PYTHONPATH": ""}
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    atexit.register(_stop, child)
    return child


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.communicate()


def _run_elsewhere(model: ModelLike, feeds: Mapping[str, Any], optimize: bool) -> dict[str, Any]:
    child = _other_python()
    assert child.stdin is not None and child.stdout is not None
    if isinstance(model, onnx.ModelProto):
        source: Any = model.SerializeToString()
    else:
        # The other process was started in another folder.
        source = model if isinstance(model, bytes) else os.path.abspath(model)
    pickle.dump((source, dict(feeds), optimize), child.stdin)
    child.stdin.flush()
    outcome = pickle.load(child.stdout)
    if isinstance(outcome, str):
        raise RuntimeError(outcome)
    return dict(outcome)


def _serve() -> None:
    """Answer requests until there are no more; an error is answered by its text."""
    while True:
        try:
            model, feeds, optimize = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            outcome: Any = _run_onnxruntime(model, feeds, optimize)
        except Exception as error:  # noqa: BLE001 - onnxruntime's errors cannot be pickled; the test shows the text
            outcome = f"{type(error).__name__}: {error}"
        pickle.dump(outcome, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
