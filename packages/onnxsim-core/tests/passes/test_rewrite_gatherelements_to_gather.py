"""rewrite_gatherelements_to_gather: whole slices."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_gatherelements_to_gather import gather_of_slices


def test_whole_slices():
    assert_rewrites(
        gather_of_slices,
        "g (float[2,3] x) => (float[2,4] z) <int64[2,4] i={2,0,-1,1,2,0,-1,1}> { z = GatherElements<axis=1>(x, i) }",
        "g (float[2,3] x) => (float[2,4] z) <int64[4] i={2,0,-1,1}> { z = Gather<axis=1>(x, i) }",
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            "g (float[n,3] x) => (float[1,1] z) <int64[1,1] i={1}> { z = GatherElements(x, i) }",
            "the sizes are not known",
        ),
        (
            "g (float[2,3] x) => (float[1,2] z) <int64[1,2] i={1,1}> { z = GatherElements<axis=1>(x, i) }",
            "it does not take whole slices",
        ),
        (
            "g (float[2,3] x) => (float[2,2] z) <int64[2,2] i={1,1,1,2}> { z = GatherElements<axis=1>(x, i) }",
            "it does not take whole slices",
        ),
        (
            "g (float[2,3] x, int64[2,2] i) => (float[2,2] z) { z = GatherElements<axis=1>(x, i) }",
            "the indices are not known",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(gather_of_slices, before, reason)
