"""maxpool_rowmajor_when_indices_unused: read indices keep their order."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.maxpool_rowmajor_when_indices_unused import pool_without_indices


@pytest.mark.parametrize("outputs", ["z", "z, i"])
def test_the_order_of_unread_indices_goes(outputs):
    assert_rewrites(
        pool_without_indices,
        f"g (float[1,2,5,6] x) => (float[1,2,4,5] z) {{ {outputs} = MaxPool<kernel_shape=[2,2], storage_order=1>(x) }}",
        "g (float[1,2,5,6] x) => (float[1,2,4,5] z) { z = MaxPool<kernel_shape=[2,2]>(x) }",
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            "g (float[1,2,5,6] x) => (float[1,2,4,5] z) { z = MaxPool<kernel_shape=[2,2]>(x) }",
            "it has no indices, and no order for them",
        ),
        (
            "g (float[1,2,5,6] x) => (float[1,2,4,5] z, int64[1,2,4,5] i) "
            "{ z, i = MaxPool<kernel_shape=[2,2], storage_order=1>(x) }",
            "the indices are read",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(pool_without_indices, before, reason)
