"""Presets: what to do differently when the simplified model is for a certain tool.

A preset adds passes and leaves others out; what the caller asks for or leaves out by name wins. One may demand static
shapes, and tell node by node what its target will not take.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..errors import OptionError
from ..ir.dtypes import BFLOAT16, DOUBLE, STRING
from ..ir.graph import Model, Node, Value

_NEWEST = ("fuse_rms_norm", "fuse_group_norm", "fuse_swish")
"""Passes that build operators of the newest opsets, which converters learn late."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A target: passes added and left out, whether shapes must be static, and what it will not take of a node."""

    name: str
    summary: str
    adds: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    is_static: bool = False
    concern: Callable[[Node], str | None] | None = None


# --- what a target will not take ------------------------------------------------------------------------------------
_DATA_DEPENDENT = frozenset({"NonZero", "Unique", "Compress", "NonMaxSuppression"})
_RECURRENT = frozenset({"LSTM", "GRU", "RNN"})
_WEIGHTED = frozenset({"Conv", "ConvTranspose"})
MOST_AXES = 4


def npu_concern(node: Node) -> str | None:
    """Why a compiler for an NPU is likely to leave the node to the CPU, or None."""
    if node.domain:
        return f"an operator of {node.domain}"
    if node.bodies:
        return "control flow"
    if node.op_type in _RECURRENT:
        return "a recurrent layer"
    if node.op_type in _DATA_DEPENDENT:
        return "the size of its result depends on the data"
    for value in node.outputs:
        problem = None if not value.name else _value_concern(value)
        if problem is not None:
            return problem
    weight = node.input(1)
    if node.op_type in _WEIGHTED and weight is not None and not _is_stored(weight):
        return "its weight is computed"
    return None


def _value_concern(value: Value) -> str | None:
    if value.type_proto is not None and not value.dtype:
        return "a result that is no tensor"
    if value.shape is None or any(type(size) is not int for size in value.shape):
        return "the shape of a result is not static"
    if len(value.shape) > MOST_AXES:
        return f"a result with more than {MOST_AXES} axes"
    return {STRING: "strings", DOUBLE: "floats of 64 bits", BFLOAT16: "bfloat16"}.get(value.dtype)


def _is_stored(value: Value) -> bool:
    """Is it a constant, or one that is dequantized?"""
    maker = value.producer("DequantizeLinear")
    return value.is_constant or maker is not None and maker.inputs[0] is not None and maker.inputs[0].is_constant


def dynamic_concern(node: Node) -> str | None:
    """Why a converter that wants static shapes will not take the node, or None."""
    for value in node.outputs:
        if value.dtype and (value.shape is None or any(type(size) is not int for size in value.shape)):
            return "the shape of a result is not static"
    return None


PRESETS = {one.name: one for one in (
    Preset("ort", "onnxruntime: scales and transposes stay where its own fusions look for them",
           skips=("fuse_mul_into_matmul", "fuse_mul_of_reciprocal", "fuse_consecutive_mul", "fuse_distant_transposes",
                  "fuse_layout_chain")),
    Preset("tensorrt", "TensorRT: pieces of Split are static, no operators of the newest opsets, plugins kept",
           adds=("explicit_split_sizes",), skips=_NEWEST),
    Preset("tflite", "converters to TensorFlow Lite: norms and activations that it lacks stay in parts; nodes without a "
           "static shape are reported",
           adds=("explicit_split_sizes",), skips=(*_NEWEST, "fuse_layer_norm", "fuse_mish", "fuse_hard_sigmoid"),
           concern=dynamic_concern),
    Preset("coreml", "converters to Core ML: no operators of the newest opsets, no scalars among tensors",
           adds=("explicit_split_sizes", "rank0_to_rank1"), skips=(*_NEWEST, "fuse_mish")),
    Preset("npu", "compilers for NPUs: static shapes are demanded, layers state all attributes, and nodes that are "
           "likely to be left to the CPU are reported",
           adds=("explicit_auto_pad", "explicit_layer_attributes", "explicit_split_sizes", "rank0_to_rank1",
                 "maxpool_rowmajor_when_indices_unused"),
           skips=(*_NEWEST, "fuse_mish"), is_static=True, concern=npu_concern),
    Preset("quantize", "quantizers: MatMul and Add stay apart, equal weights of different layers are not shared, batch "
           "normalization is folded",
           skips=("fuse_matmul_add_bias_into_gemm", "fuse_transpose_into_gemm", "fuse_consecutive_matmul",
                  "eliminate_duplicate_initializer")),
)}


def find(name: str) -> Preset:
    """The preset of that name.

    Raises:
        OptionError: there is none.
    """
    if name not in PRESETS:
        close = difflib.get_close_matches(name, PRESETS, 2)
        raise OptionError(f"there is no preset called {name!r}", hint=(
            "did you mean " + " or ".join(close) + "?" if close else "they are " + ", ".join(PRESETS)))
    return PRESETS[name]


def combined(name: str | None, skipped: Iterable[str], extra: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Passes to skip and to add, by a preset and by what the caller names.

    Raises:
        OptionError: there is no such preset.
    """
    left_out, added = frozenset(skipped), tuple(extra)
    if name is None:
        return left_out, added
    preset = find(name)
    return left_out | (frozenset(preset.skips) - set(added)), (*preset.adds, *added)


def demand(model: Model, name: str | None) -> None:
    """Check what a preset demands of a model.

    Raises:
        OptionError: an input has a size that is not a number.
    """
    if name is None or not find(name).is_static:
        return
    open_inputs = [f"{value.name} {shown(value)}" for value in model.graph.inputs
                   if value.dtype and (value.shape is None or any(type(size) is not int for size in value.shape))]
    if open_inputs:
        raise OptionError(f"preset {name} demands static shapes, which these inputs lack: {', '.join(open_inputs)}",
                          hint="fix them with overwrite_input_shapes (--overwrite-input-shape)")


def survey(model: Model, name: str | None) -> list[str]:
    """A sentence for each node that the target of a preset will not take."""
    concern = None if name is None else find(name).concern
    if concern is None:
        return []
    found = []
    for graph in model.graphs():
        for node in graph:
            reason = concern(node)
            if reason is not None:
                found.append(f"preset {name}: {node.where()} ({node.op_type}): {reason}")
    return found


def shown(value: Value) -> str:
    """A shape for a message."""
    return "[?]" if value.shape is None else "[" + ",".join(map(str, value.shape)) + "]"
