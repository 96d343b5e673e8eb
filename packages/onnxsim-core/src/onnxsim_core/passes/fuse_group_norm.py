"""fuse_group_norm: an InstanceNormalization of groups of channels becomes GroupNormalization."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import BFLOAT16, FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.layers import NOT_REAL, float64, is_real, vector
from ..rewrite.match import same_sizes
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_group_norm", "make Reshape, InstanceNormalization, Reshape one GroupNormalization (opset 21)")

_TYPES = (FLOAT, FLOAT16, BFLOAT16)


@rewrites("fuse_group_norm", root="Reshape", since=21)
def group_norm(node: Node, op: Builder) -> Value | Skip:
    """Reshape(InstanceNorm(Reshape(x, [n, groups, ...]), s, t), shape of x) -> GroupNorm(x, s and t once per channel).

    A scale and a bias per channel after it are taken in by fuse_affine_into_norm.

    Numerics: same formula, in float32 and with other rounding; about 1e-6 of the largest result.
    Source: ONNX GroupNormalization-21 (scale and bias per channel), InstanceNormalization-6.
    """
    if op.opset < 21:
        return skip("GroupNormalization scales channels from opset 21 on")
    normal = node.inputs[0]
    norm = None if normal is None else normal.producer("InstanceNormalization")
    grouped = None if norm is None else norm.inputs[0]
    reshape = None if grouped is None else grouped.producer("Reshape")
    if normal is None or norm is None or grouped is None or reshape is None:
        return skip("it is not Reshape, InstanceNormalization, Reshape")
    x = reshape.inputs[0]
    result = node.outputs[0].shape
    if x is None or x.shape is None or grouped.shape is None or result is None or not same_sizes(x.shape, result):
        return skip("the result does not have the shape of x")
    if not is_step(normal) or not is_step(grouped):
        return skip("a step has other readers")
    if x.dtype not in _TYPES:
        return skip("GroupNormalization computes in float32")
    channels, groups = x.shape[1] if len(x.shape) > 2 else 0, grouped.shape[1]
    if type(channels) is not int or type(groups) is not int or not groups or channels % groups or not channels:
        return skip("the channels are not divided into groups")
    if not same_sizes(x.shape[:1], grouped.shape[:1]):
        return skip("the samples are not kept apart")
    scale, bias = norm.inputs[1], norm.inputs[2]
    if scale is None or bias is None or not scale.is_constant or not bias.is_constant:
        return skip("the scale or bias of the normalization is not a constant")
    vectors = []
    for per_group in (scale, bias):
        if not is_real(per_group):
            return NOT_REAL
        numbers = np.repeat(float64(per_group), channels // groups)
        per_channel = vector(op, numbers, per_group.dtype, per_group.name, per_group)
        if isinstance(per_channel, Skip):
            return per_channel
        vectors.append(per_channel)
    made: Value = op.GroupNormalization(x, *vectors, num_groups=groups, epsilon=norm.attribute("epsilon", 1e-5))
    return made
