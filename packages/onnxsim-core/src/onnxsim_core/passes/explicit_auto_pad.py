"""explicit_auto_pad: pads that auto_pad computes are written out; on request."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node, Value
from ..ops.window import window
from ..rewrite.builder import Builder
from ..rewrite.match import is_static
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("explicit_auto_pad", "write the pads out that auto_pad computes", default=False)


@rewrites("explicit_auto_pad", root=("Conv", "MaxPool", "AveragePool", "LpPool"))
def written_pads(node: Node, op: Builder) -> Value | tuple[Value, ...] | Skip:
    """Conv<auto_pad=SAME_UPPER>(x) -> Conv<pads=[..]>(x), and auto_pad VALID -> pads 0.

    Exact. Source: ONNX Conv-11, MaxPool-12, AveragePool-11: auto_pad.
    """
    auto_pad = node.text("auto_pad", "NOTSET")
    if auto_pad in ("NOTSET", ""):
        return skip("auto_pad is not set")
    pads = computed_pads(node, auto_pad)
    if isinstance(pads, Skip):
        return pads
    changed: dict[str, Any] = {"auto_pad": None, "pads": pads}
    if auto_pad != "VALID":
        changed["ceil_mode"] = None  # the pads leave nothing to round
    return op.anew(node, node.inputs, **changed)


def computed_pads(node: Node, auto_pad: str) -> tuple[int, ...] | Skip:
    """What auto_pad stands for, begins before ends."""
    x, kernel = node.input(0), kernel_of(node)
    if x is None or x.shape is None or kernel is None or len(kernel) != len(x.shape) - 2:
        return skip("the kernel or the rank is not known")
    spatial = x.shape[2:]
    found = window(node, len(spatial), kernel)
    if found is None:
        return skip("an attribute does not fit the rank")
    if auto_pad == "VALID":
        return (0,) * (2 * len(spatial))
    if not is_static(spatial):
        return skip("the sizes that the pads depend on are not known")
    if any(step != 1 for step in found.dilations):
        return skip("onnxruntime refuses to compute the pads of a dilated window")
    begins, ends = [], []
    for size, extent, stride in zip(spatial, kernel, found.strides):
        assert type(size) is int
        total = max((-(-size // stride) - 1) * stride + extent - size, 0)
        small = total // 2
        begins.append(small if auto_pad == "SAME_UPPER" else total - small)
        ends.append(total - begins[-1])
    return (*begins, *ends)


def kernel_of(node: Node) -> tuple[int, ...] | None:
    """The sizes of the window: as written, else those of the weight; None when they are not known."""
    kernel = node.attribute("kernel_shape")
    if kernel is None:
        weight = node.input(1)
        kernel = None if weight is None or weight.shape is None else weight.shape[2:]
    return kernel if type(kernel) is tuple and all(type(size) is int for size in kernel) else None
