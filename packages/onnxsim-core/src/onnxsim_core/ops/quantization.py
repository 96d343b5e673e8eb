"""Quantising and dequantising. These operators have no kernels: a quantised model stays one."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import FLOAT, UINT8
from ..ir.graph import Node
from .attributes import integer
from .registry import SHAPES


@SHAPES.register("QuantizeLinear")
def quantize_linear_shape(node: Node, ctx: Any) -> None:
    """Shape of x; type of the zero point, else `output_dtype`, else uint8.  Source: ONNX QuantizeLinear-10..25."""
    x, zero = node.input(0), node.input(2)
    if x is not None and node.outputs:
        dtype = zero.dtype if zero is not None else integer(node, "output_dtype", 0) or UINT8
        ctx.set(node.outputs[0], dtype, x.shape)


@SHAPES.register("DequantizeLinear")
def dequantize_linear_shape(node: Node, ctx: Any) -> None:
    """Shape of x; `output_dtype`, else the type of the scale.  Source: ONNX DequantizeLinear-10..25."""
    x, scale = node.input(0), node.input(1)
    if x is not None and scale is not None and node.outputs:
        ctx.set(node.outputs[0], integer(node, "output_dtype", 0) or scale.dtype, x.shape)


@SHAPES.register("DynamicQuantizeLinear")
def dynamic_quantize_linear_shape(node: Node, ctx: Any) -> None:
    """y has the shape of x; its scale and zero point are scalars.  Source: ONNX DynamicQuantizeLinear-11."""
    x = node.input(0)
    if x is None or len(node.outputs) != 3:
        return
    ctx.set(node.outputs[0], UINT8, x.shape)
    ctx.set(node.outputs[1], FLOAT, ())
    ctx.set(node.outputs[2], UINT8, ())
