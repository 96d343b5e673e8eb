"""rewrite_gather_over_concat: indices of every kind, against the runtime."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_gather_over_concat import gather_of_input


def graph(body, index, out="float[n,k,4] z"):
    return f"g (float[n,2,4] x, float[n,3,4] y) => ({out}) <{index}> {{ {body} }}"


@pytest.mark.parametrize(
    ("index", "part", "moved", "out"),
    [
        ("int64 i={1}", "x", "int64 i={1}", "float[n,4] z"),
        ("int64 i={2}", "y", "int64 i={0}", "float[n,4] z"),
        ("int64[2] i={-1,3}", "y", "int64[2] i={2,1}", "float[n,2,4] z"),
        ("int32[2] i={4,4}", "y", "int32[2] i={2,2}", "float[n,2,4] z"),
    ],
)
def test_it_is_taken_from_the_part(index, part, moved, out):
    assert_rewrites(
        gather_of_input,
        graph("c = Concat<axis=1>(x, y) z = Gather<axis=-2>(c, i)", index, out),
        graph(f"z = Gather<axis=-2>({part}, i)", moved, out),
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (graph("z = Gather<axis=1>(x, i)", "int64 i={1}"), "the input is not made by a Concat"),
        (graph("c = Concat<axis=1>(x, y) z = Gather<axis=2>(c, i)", "int64 i={1}"), "the axes differ"),
        (
            graph("c = Concat<axis=1>(x, y) s = Shape<start=1,end=2>(x) z = Gather<axis=1>(c, s)", "int64 i={1}"),
            "the indices are not known",
        ),
        (
            graph("c = Concat<axis=0>(x, x) z = Gather<axis=0>(c, i)", "int64 i={-1}"),
            "an index counts from the end of an unknown size",
        ),
        (
            graph("c = Concat<axis=1>(x, y) z = Gather<axis=1>(c, i)", "int64[2] i={1,2}"),
            "it takes from several inputs, or from one whose place is not known",
        ),
        (
            graph("c = Concat<axis=0>(x, x) z = Gather<axis=0>(c, i)", "int64 i={1}"),
            "it takes from several inputs, or from one whose place is not known",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(gather_of_input, before, reason)
