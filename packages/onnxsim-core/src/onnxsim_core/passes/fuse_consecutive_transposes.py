"""fuse_consecutive_transposes: two Transposes in a row are one."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import made_by, permutation
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_transposes", "join Transpose of Transpose")


@rewrites("fuse_consecutive_transposes", root="Transpose", after=("Transpose",))
def compose_transposes(node: Node, op: Builder) -> Value | Skip:
    """Transpose(Transpose(x, p), q) -> Transpose(x, [p[i] for i in q]), or x when that moves nothing.

    Exact: elements move, none is computed. Source: ONNX Transpose-1, output axis i is input axis perm[i].
    """
    inner = made_by(node.input(0), "Transpose")
    x = None if inner is None else inner.input(0)
    if inner is None or x is None:
        return skip("input is not made by a Transpose")
    p, q = permutation(inner), permutation(node)
    if p is None or q is None or len(p) != len(q):
        return skip("a perm is left to its default and the rank is unknown")
    perm = [p[axis] for axis in q]
    return x if perm == list(range(len(perm))) else op.like(node, [x], perm=perm)
