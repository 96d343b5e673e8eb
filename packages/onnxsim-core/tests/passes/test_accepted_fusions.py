"""Names that are accepted and do nothing say why."""

import pytest

from onnxsim_core.passes import catalog
from onnxsim_core.rewrite.rule import RULES

NAMES = ["fuse_qkv", "fuse_matmul_add_bias_into_gemm_batched", "fuse_attention", "fuse_gqa", "fuse_rope"]


@pytest.mark.parametrize("name", NAMES)
def test_they_have_a_reason_and_no_rules(name):
    catalog.load()
    assert catalog.CATALOG[name].kind == "none"
    assert catalog.CATALOG[name].summary.startswith("nothing: ")
    assert name not in RULES
