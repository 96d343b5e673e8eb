"""rewrite_scatterelements_to_scatternd: coordinates of constant indices."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_scatterelements_to_scatternd import scatter_by_coordinates


def test_places_become_coordinates():
    assert_rewrites(
        scatter_by_coordinates,
        "g (float[n,3] x, float[2,2] u) => (float[n,3] z) <int64[2,2] i={0,-1,1,2}> "
        "{ z = ScatterElements<axis=1>(x, i, u) }",
        "g (float[n,3] x, float[2,2] u) => (float[n,3] z) <int64[2,2,2] i={0,0,0,2,1,1,1,2}> "
        "{ z = ScatterND(x, i, u) }",
    )


@pytest.mark.parametrize(("reduction", "opset"), [("add", 16), ("mul", 16), ("max", 18)])
def test_a_reduction_may_write_a_place_twice(reduction, opset):
    assert_rewrites(
        scatter_by_coordinates,
        "g (float[3] x, float[2] u) => (float[3] z) <int64[2] i={1,1}> "
        f'{{ z = ScatterElements<reduction="{reduction}">(x, i, u) }}',
        "g (float[3] x, float[2] u) => (float[3] z) <int64[2,1] i={1,1}> "
        f'{{ z = ScatterND<reduction="{reduction}">(x, i, u) }}',
        opset=opset,
        rtol=1e-6,
    )


BIG = {"i": np.arange(4096, dtype=np.int64).reshape(4096, 1, 1, 1)}


@pytest.mark.parametrize(
    ("before", "reason", "initializers"),
    [
        (
            "g (float[] x, float[2] u) => (float[3] z) <int64[2] i={0,1}> { z = ScatterElements(x, i, u) }",
            "the rank is not known",
            None,
        ),
        (
            "g (float[3] x, float[2] u, int64[2] i) => (float[3] z) { z = ScatterElements(x, i, u) }",
            "the indices are not known",
            None,
        ),
        (
            "g (float[n] x, float[2] u) => (float[n] z) <int64[2] i={0,-1}> { z = ScatterElements(x, i, u) }",
            "an index counts from the end of an unknown size",
            None,
        ),
        (
            "g (float[3] x, float[2] u) => (float[3] z) <int64[2] i={1,-2}> { z = ScatterElements(x, i, u) }",
            "a place is written twice",
            None,
        ),
        (
            "g (float[4096,1,1,1] x, float[4096,1,1,1] u) => (float[4096,1,1,1] z) { z = ScatterElements(x, i, u) }",
            "the coordinates would make the model grow",
            BIG,
        ),
    ],
)
def test_declines(before, reason, initializers):
    assert_skips(scatter_by_coordinates, before, reason, initializers=initializers)
