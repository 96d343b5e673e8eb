"""eliminate_nop_resize: Resize that changes no size."""

from __future__ import annotations

import numpy as np

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import constant_array, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_resize", "remove Resize and Upsample that change no size")


@rewrites("eliminate_nop_resize", root=("Resize", "Upsample"))
def drop_resize(node: Node, op: Builder) -> Value | Skip:
    """Resize(x, scales 1) -> x.

    Exact: onnxruntime copies when all scales are 1, whatever the mode. Source: ONNX Resize-10, -11, -13, -18.
    """
    x = node.input(0)
    if x is None or not same_shape(x, node.outputs[0]):
        return skip("the shape changes or is not known")
    if node.text("coordinate_transformation_mode") == "tf_crop_and_resize":
        return skip("it crops")
    scales = node.attribute("scales")
    if scales is None:
        scales = constant_array(node.input(1 if op.opset < 11 else 2))
    if scales is not None and np.ndim(scales) != 1:
        return skip("the scales are not known")
    if scales is not None and len(scales):
        return x if all(scale == 1 for scale in scales) else skip("a scale is not 1")
    if op.opset < 11 or node.input(3) is None or node.text("keep_aspect_ratio_policy", "stretch") != "stretch":
        return skip("the scales are not known")
    return x
