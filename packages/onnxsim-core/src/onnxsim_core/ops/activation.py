"""Fold kernels of activations: the piecewise linear ones, which every implementation computes alike.

Sigmoid, Tanh, Elu, Gelu and their kin are approximated differently by each implementation and are left to the runtime.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Node
from .broadcasting import broadcast_shapes
from .precision import Array, narrowed, widened
from .registry import KERNELS


@KERNELS.register("Relu")
def relu_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: NaN stays NaN and -0.0 stays -0.0, neither is below 0."""
    x = arrays[0]
    wide = x if x.dtype.kind == "i" else widened(x)
    return None if wide is None else narrowed(np.where(wide < 0, wide.dtype.type(0), wide), x.dtype)


@KERNELS.register("LeakyRelu", "ThresholdedRelu", "HardSigmoid", "HardSwish", "Softsign", "Shrink", since=6)
def piecewise_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: parameters and steps are float32, as in onnxruntime; Softsign numerics are within 1 ulp."""
    x = arrays[0]
    wide = widened(x)
    if wide is None or wide.dtype != np.float32:
        return None
    with np.errstate(all="ignore"):
        return narrowed(_piecewise(node, wide), x.dtype)


def _piecewise(node: Node, x: Array) -> Array:
    number = np.float32
    op_type = node.op_type
    if op_type == "LeakyRelu":
        return np.where(x >= 0, x, number(node.attribute("alpha", 0.01)) * x)
    if op_type == "ThresholdedRelu":
        return np.where(x > number(node.attribute("alpha", 1.0)), x, number(0))
    if op_type == "HardSigmoid":
        return _hard_sigmoid(x, node.attribute("alpha", 0.2), node.attribute("beta", 0.5))
    if op_type == "HardSwish":
        return x * _hard_sigmoid(x, 1 / 6, 0.5)
    if op_type == "Softsign":
        return x / (number(1) + np.abs(x))
    edge, bias = number(node.attribute("lambd", 0.5)), number(node.attribute("bias", 0.0))
    return np.where(x < -edge, x + bias, np.where(x > edge, x - bias, number(0)))


def _hard_sigmoid(x: Array, alpha: float, beta: float) -> Array:
    line = np.float32(alpha) * x + np.float32(beta)
    return np.clip(line, np.float32(0), np.float32(1))


@KERNELS.register("PRelu", since=7)
def prelu_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: x < 0 ? slope * x : x, with the slope stretched to x."""
    x, slope = arrays[0], arrays[1]
    if x.dtype != slope.dtype or broadcast_shapes(x.shape, slope.shape) != x.shape:
        return None
    wide, factor = widened(x), widened(slope)
    if wide is None or factor is None:
        return None
    with np.errstate(all="ignore"):
        result = np.where(wide < 0, factor * wide, wide)
    return narrowed(result, x.dtype)


@KERNELS.register("Clip")
def clip_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: min(max(x, low), high); a bound left out is the largest finite number, which infinities become."""
    x = arrays[0]
    if x.dtype.kind in "iu":
        info: Any = np.iinfo(x.dtype)
        wide = x
    else:
        found = widened(x)
        if found is None:
            return None
        wide = found
        info = np.finfo(x.dtype) if x.dtype.kind == "f" else None
    low = _bound(node, arrays, 1, "min", info.min if info is not None else None)
    high = _bound(node, arrays, 2, "max", info.max if info is not None else None)
    if low is None or high is None or low != low or high != high:
        return None
    low, high = wide.dtype.type(low), wide.dtype.type(high)
    raised = np.where(wide < low, low, wide)
    return narrowed(np.where(raised > high, high, raised), x.dtype)


def _bound(node: Node, arrays: list[Array], index: int, name: str, default: Any) -> Any:
    """A bound as a number: an input since opset 11, an attribute before."""
    if index < len(arrays) and arrays[index] is not None:
        return arrays[index].reshape(-1)[0] if arrays[index].size == 1 else None
    return node.attribute(name, default)
