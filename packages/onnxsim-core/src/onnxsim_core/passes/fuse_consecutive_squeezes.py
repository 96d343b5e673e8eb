"""fuse_consecutive_squeezes: a Squeeze of a Squeeze."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import squeeze_pair
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_squeezes", "join Squeeze of Squeeze")


@rewrites("fuse_consecutive_squeezes", root="Squeeze", after=("Squeeze",))
def compose_squeezes(node: Node, op: Builder) -> Value | Skip:
    """Squeeze(Squeeze(x, a), b) -> Squeeze(x, a + b), b counted in x.

    Exact. Source: ONNX Squeeze-1, -13.
    """
    found = squeeze_pair(node, op.ctx, "Squeeze")
    if found is None:
        return skip("input is not made by a Squeeze with known axes")
    x, inner, outer, rank = found
    left = [axis for axis in range(rank) if axis not in inner]
    return forms.squeeze(op, x, sorted([*inner, *(left[axis] for axis in outer)]))
