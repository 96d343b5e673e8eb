"""Fusions other tools have under these names: accepted where passes are named, and why nothing is done."""

from __future__ import annotations

from .catalog import declare

declare(
    "fuse_qkv",
    "nothing: one product for query, key and value takes a Split and new weights of the size of all three, and hides "
    "the pattern by which runtimes find attention",
    kind="none",
)
declare(
    "fuse_matmul_add_bias_into_gemm_batched",
    "nothing: Gemm takes matrices, so it would take a Reshape before and after, and quantizers look for the MatMul",
    kind="none",
)
declare("fuse_attention", "nothing: few runtimes have Attention (opset 23); they find it in its parts", kind="none")
declare("fuse_gqa", "nothing: grouped attention is one runtime's own operator, found in its parts", kind="none")
declare("fuse_rope", "nothing: few runtimes have RotaryEmbedding (opset 23); they find it in its parts", kind="none")
