"""fuse_consecutive_unsqueezes: an Unsqueeze of an Unsqueeze."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import squeeze_pair
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_unsqueezes", "join Unsqueeze of Unsqueeze")


@rewrites("fuse_consecutive_unsqueezes", root="Unsqueeze", after=("Unsqueeze",))
def compose_unsqueezes(node: Node, op: Builder) -> Value | Skip:
    """Unsqueeze(Unsqueeze(x, a), b) -> Unsqueeze(x, a + b), a counted in the result.

    Exact. Source: ONNX Unsqueeze-1, -13.
    """
    found = squeeze_pair(node, op.ctx, "Unsqueeze")
    if found is None:
        return skip("input is not made by an Unsqueeze with known axes")
    x, inner, outer, rank = found
    places = [axis for axis in range(rank + len(inner) + len(outer)) if axis not in outer]
    return forms.unsqueeze(op, x, sorted([*outer, *(places[axis] for axis in inner)]))
