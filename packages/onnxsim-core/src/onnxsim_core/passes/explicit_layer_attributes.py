"""explicit_layer_attributes: convolutions and pools state what they leave to defaults; on request."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare
from .explicit_auto_pad import kernel_of

declare("explicit_layer_attributes", "write kernel_shape, strides, dilations, pads and group of layers out",
        default=False)

_DILATED_SINCE = {"Conv": 1, "ConvTranspose": 1, "MaxPool": 10, "LpPool": 18, "AveragePool": 19}


@rewrites("explicit_layer_attributes", root=tuple(_DILATED_SINCE))
def stated_attributes(node: Node, op: Builder) -> Value | tuple[Value, ...] | Skip:
    """Conv(x, W) -> Conv<kernel_shape, strides, dilations, pads, group>(x, W), and so for pools.

    Exact: the defaults are written. Source: ONNX Conv-11, ConvTranspose-11, MaxPool-12, AveragePool-19, LpPool-18.
    """
    kernel = kernel_of(node)
    if kernel is None:
        return skip("the kernel's sizes are not known")
    missing = _defaults(node, op, len(kernel))
    missing["kernel_shape"] = kernel
    added = {name: value for name, value in missing.items() if name not in node.attributes}
    if not added:
        return skip("all is written")
    return op.anew(node, node.inputs, **added)


def _defaults(node: Node, op: Builder, rank: int) -> dict[str, Any]:
    ones = (1,) * rank
    found: dict[str, Any] = {"strides": ones}
    if op.opset >= _DILATED_SINCE[node.op_type]:
        found["dilations"] = ones
    if node.text("auto_pad", "NOTSET") in ("NOTSET", "") and "output_shape" not in node.attributes:
        found["pads"] = (0,) * (2 * rank)
    if node.op_type.startswith("Conv"):
        found["group"] = 1
    return found
