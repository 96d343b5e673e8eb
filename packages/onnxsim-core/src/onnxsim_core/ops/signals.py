"""Signals, detection and losses: transforms, images, n-grams, NonMaxSuppression."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, add, floordiv, sub
from ..ir.dtypes import FLOAT, INT64, UINT8
from ..ir.graph import Node, Value
from .attributes import integer, integers, word
from .registry import SHAPES


# --- transforms ------------------------------------------------------------------------------------------------------
@SHAPES.register("DFT", since=17)
def dft_shape(node: Node, ctx: Any) -> None:
    """[batch, .., n, .., 1|2] -> the length asked for along the axis, half of it and one when one-sided; complex.

    Source: ONNX DFT-17 (attribute axis, 1 by default), DFT-20 (input axis, -2 by default).
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape, axis = x.shape, _dft_axis(node, ctx)
    if shape is None or axis is None or len(shape) < 2:
        ctx.set(node.outputs[0], x.dtype)
        return
    axis += len(shape) if axis < 0 else 0
    if not 0 <= axis < len(shape) - 1:
        return
    asked, onesided, inverse = node.input(1), integer(node, "onesided", 0), integer(node, "inverse", 0)
    length = shape[axis] if asked is None else _number(asked, ctx)
    sizes: list[Size] = list(shape)
    if onesided and inverse:
        length = None
    sizes[axis] = ctx.fresh() if length is None else add(floordiv(length, 2), 1) if onesided else length
    sizes[-1] = ctx.fresh() if onesided and inverse else 2
    ctx.set(node.outputs[0], x.dtype, sizes)


def _dft_axis(node: Node, ctx: Any) -> int | None:
    if ctx.opset < 20:
        axis: int = integer(node, "axis", 1)
        return axis
    if node.input(2) is None:
        return -2
    found = ctx.ints(node.input(2))
    return found[0] if found is not None and len(found) == 1 else None


def _number(value: Value | None, ctx: Any) -> Size | None:
    data = ctx.data(value)
    return data[0] if data is not None and len(data) == 1 else None


@SHAPES.register("STFT", since=17)
def stft_shape(node: Node, ctx: Any) -> None:
    """signal [batch, n, .] -> [batch, frames, bins, 2].

    Source: ONNX STFT-17: floor((n - length) / step) + 1 frames; length // 2 + 1 bins when one-sided (the default).
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is None or len(shape) not in (2, 3):
        ctx.set(node.outputs[0], x.dtype)
        return
    step, length = _number(node.input(1), ctx), _number(node.input(3), ctx)
    window = node.input(2)
    if length is None and node.input(3) is None and window is not None and window.shape is not None \
            and len(window.shape) == 1:
        length = window.shape[0]
    frames: Size = ctx.fresh()
    if length is not None and step is not None and (type(step) is not int or step > 0):
        frames = add(floordiv(sub(shape[1], length), step), 1)
    bins: Size = ctx.fresh()
    if length is not None:
        bins = add(floordiv(length, 2), 1) if integer(node, "onesided", 1) else length
    ctx.set(node.outputs[0], x.dtype, (shape[0], frames, bins, 2))


@SHAPES.register("ImageDecoder", since=20)
def image_decoder_shape(node: Node, ctx: Any) -> None:
    """[height, width, channels], with one channel for Grayscale and three else.  Source: ONNX ImageDecoder-20."""
    if node.outputs:
        channels = 1 if word(node, "pixel_format", b"RGB") == b"Grayscale" else 3
        ctx.set(node.outputs[0], UINT8, (ctx.fresh(), ctx.fresh(), channels))


# --- detection -------------------------------------------------------------------------------------------------------
@SHAPES.register("NonMaxSuppression", since=10)
def non_max_suppression_shape(node: Node, ctx: Any) -> None:
    """As many rows (batch, class, box) as are selected.  Source: ONNX NonMaxSuppression-10, -11."""
    if node.outputs:
        old = node.outputs[0].shape
        ctx.set(node.outputs[0], INT64, (old[0] if old is not None and len(old) == 2 else ctx.fresh(), 3))


# --- n-grams ---------------------------------------------------------------------------------------------------------
@SHAPES.register("TfIdfVectorizer", since=9)
def tf_idf_vectorizer_shape(node: Node, ctx: Any) -> None:
    """[n] -> [m], [batch, n] -> [batch, m] floats, with m one more than the largest of ngram_indexes.

    Source: ONNX TfIdfVectorizer-9.
    """
    x, indexes = node.input(0), integers(node, "ngram_indexes")
    if x is None or not node.outputs:
        return
    shape = None
    if x.shape is not None and 1 <= len(x.shape) <= 2 and indexes:
        shape = (*x.shape[:-1], max(indexes) + 1)
    ctx.set(node.outputs[0], FLOAT, shape)


# --- losses ----------------------------------------------------------------------------------------------------------
@SHAPES.register("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss", since=12)
def loss_shape(node: Node, ctx: Any) -> None:
    """A scalar, or one loss per target when reduction is none; and log probabilities like the scores.

    Source: ONNX SoftmaxCrossEntropyLoss-12, -13, NegativeLogLikelihoodLoss-12, -13.
    """
    scores, target = node.input(0), node.input(1)
    if scores is None or target is None or not node.outputs:
        return
    ctx.set(node.outputs[0], scores.dtype, target.shape if word(node, "reduction", b"mean") == b"none" else ())
    if len(node.outputs) > 1:
        ctx.set(node.outputs[1], scores.dtype, scores.shape)
