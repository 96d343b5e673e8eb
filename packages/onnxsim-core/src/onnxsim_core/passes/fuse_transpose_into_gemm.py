"""fuse_transpose_into_gemm: a Transpose before a Gemm becomes its transA or transB."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import permutation
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_transpose_into_gemm", "turn a Transpose before a Gemm into transA or transB")


@rewrites("fuse_transpose_into_gemm", root="Gemm")
def gemm_of_transposed(node: Node, op: Builder) -> Value | Skip:
    """Gemm(Transpose(a), b, c) -> Gemm<transA=1-transA>(a, b, c); likewise for b.

    Numerics: the same products are summed; the result moves by rounding at most.
    Source: ONNX Gemm-7, -13.
    """
    reason = skip("no factor is made by a Transpose")
    for index, flag in ((0, "transA"), (1, "transB")):
        factor = node.input(index)
        transpose = None if factor is None else factor.producer("Transpose")
        if transpose is None:
            continue
        assert factor is not None
        if permutation(transpose) != (1, 0):
            reason = skip("the Transpose does not swap two axes")
        elif not _all_gemms(factor):
            reason = skip("the transposed matrix has readers other than Gemm")
        else:
            inputs = list(node.inputs)
            inputs[index] = transpose.inputs[0]
            return op.like(node, inputs, **{flag: 0 if node.attribute(flag, 0) else 1})
    return reason


def _all_gemms(value: Value) -> bool:
    return not value.outputs and all(user.op_type == "Gemm" and not user.domain for user in value.uses)
