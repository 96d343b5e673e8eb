"""Operators that make windows and filter banks for audio: only their sizes, the runtime computes the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.dims import Size, add, floordiv
from .registry import SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value

FLOAT = 1


def _number(value: Value | None, ctx: Inference) -> Size | None:
    data = ctx.data(value)
    return data[0] if data is not None and len(data) == 1 else None


@SHAPES.register("HannWindow", "HammingWindow", "BlackmanWindow")
def window_shape(node: Node, ctx: Inference) -> None:
    """As many samples as asked for, float by default.  Source: ONNX HannWindow-17."""
    dtype = node.attribute("output_datatype", FLOAT)
    if not node.outputs or type(dtype) is not int:
        return
    size = _number(node.input(0), ctx)
    ctx.set(node.outputs[0], dtype, (ctx.fresh() if size is None else size,))


@SHAPES.register("MelWeightMatrix")
def mel_weight_matrix_shape(node: Node, ctx: Inference) -> None:
    """[floor(dft_length / 2) + 1, num_mel_bins].  Source: ONNX MelWeightMatrix-17."""
    dtype = node.attribute("output_datatype", FLOAT)
    if not node.outputs or type(dtype) is not int:
        return
    bins, length = _number(node.input(0), ctx), _number(node.input(1), ctx)
    spectrum = ctx.fresh() if length is None else add(floordiv(length, 2), 1)
    ctx.set(node.outputs[0], dtype, (spectrum, ctx.fresh() if bins is None else bins))
