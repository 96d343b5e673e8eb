"""rewrite_gathernd_to_gather: one coordinate."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_gathernd_to_gather import gather_by_one_coordinate


def test_constant_coordinates():
    assert_rewrites(
        gather_by_one_coordinate,
        "g (float[3,m] x) => (float[2,2,m] z) <int64[2,2,1] i={0,-1,2,1}> { z = GatherND(x, i) }",
        "g (float[3,m] x) => (float[2,2,m] z) <int64[2,2] i={0,-1,2,1}> { z = Gather<axis=0>(x, i) }",
    )


@pytest.mark.parametrize(("opset", "squeeze"), [(17, "j = Squeeze(i, a)"), (12, "j = Squeeze<axes=[1]>(i)")])
def test_computed_coordinates(opset, squeeze):
    axes = " <int64[1] a={1}>" if opset > 12 else ""
    assert_rewrites(
        gather_by_one_coordinate,
        "g (float[3,m] x, int64[n,1] i) => (float[n,m] z) { z = GatherND(x, i) }",
        f"g (float[3,m] x, int64[n,1] i) => (float[n,m] z){axes} {{ {squeeze} z = Gather<axis=0>(x, j) }}",
        opset=opset,
        feeds={"x": np.arange(9, dtype=np.float32).reshape(3, 3), "i": np.array([[-1], [0]])},
        hazards=False,
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (float[3,4] x, int64[n,2] i) => (float[n] z) { z = GatherND(x, i) }", "there is not one coordinate"),
        (
            "g (float[3,4] x, int64[3,1] i) => (float[3] z) { z = GatherND<batch_dims=1>(x, i) }",
            "it gathers within a batch",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(gather_by_one_coordinate, before, reason)
