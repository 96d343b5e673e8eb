"""gemm_transA_to_transpose: a Transpose does what transA of a Gemm says; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("gemm_transA_to_transpose", "let a Transpose do what transA says, for targets whose Gemm has none",
        default=False, instead_of=("fuse_transpose_into_gemm",))


@rewrites("gemm_transA_to_transpose", root="Gemm")
def transpose_before(node: Node, op: Builder) -> Value | Skip:
    """Gemm<transA=1>(A, B, C) -> Gemm(Transpose(A), B, C).

    Numerics: the same products are summed; the result moves by rounding at most.
    Source: ONNX Gemm-13.
    """
    a = node.input(0)
    if a is None or not node.attribute("transA", 0):
        return skip("the first factor is not transposed")
    return op.like(node, [op.Transpose(a, perm=[1, 0]), *node.inputs[1:]], transA=None)
