"""How large an input may be that ends up as an index."""

import pytest

from onnxsim_core.check.index_range import index_limits
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model

TABLE = "<float[7,4] w={" + ",".join(["0"] * 28) + "}>"


def limits(body, inputs="int64[2] i", *, table=TABLE):
    text = f"g ({inputs}) => (float[m] z) {table} {{ {body} }}"
    ir = read_model(model(text, domains={"com.microsoft": 1, "my": 1}))
    return {value.name: limit for value, limit in index_limits(ir).items()}


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        ("z = Gather(w, i)", 7),
        ("z = Gather<axis=1>(w, i)", 4),
        ("z = Gather<axis=-1>(w, i)", 4),
        ("z = GatherElements<axis=1>(w, i)", 4),
        ("z = ScatterElements(w, i, w)", 7),
        ("z = GatherND(w, i)", 4),
        ("a = Gather(w, i) b = Gather<axis=1>(w, i) z = Add(a, b)", 4),
    ],
)
def test_an_index_is_smaller_than_the_axis_it_points_into(body, limit):
    assert limits(body) == {"i": limit}


def test_the_limit_goes_back_through_operators_that_move_elements():
    assert limits(
        "c = Cast<to=7>(i) u = Unsqueeze(c, a) t = Transpose(u) z = Gather(w, t)", "int32[2] i, int64[1] a"
    ) == {"i": 7}


def test_of_several_inputs_all_can_hold_the_indices():
    assert limits("c = Concat<axis=0>(i, j) z = Gather(w, c)", "int64[2] i, int64[1] j") == {"i": 7, "j": 7}


@pytest.mark.parametrize(
    "body", ["s = Add(i, i) z = Gather(w, s)", "z = my.Gather(w, i)", "z = Neg(i)", "z = Gather<axis=5>(w, i)"]
)
def test_nothing_is_known_of_other_inputs(body):
    assert limits(body) == {}


def test_data_is_no_index():
    assert limits("z = Gather(x, i)", "float[5,2] x, int64[2] i") == {"i": 5}
    assert limits("z = Gather(x, i)", "float[n,2] x, int64[2] i") == {}
    assert limits("z = Gather(x, i)", "float[0,2] x, int64[2] i") == {}


def test_embeddings_of_the_contrib_domain():
    body = "z, m = com.microsoft.EmbedLayerNormalization(i, s, w, p, t, g, b)"
    inputs = "int32[1,2] i, int32[1,2] s, float[9,4] p, float[2,4] t, float[4] g, float[4] b"
    assert limits(body, inputs) == {"i": 7, "s": 2}

    body = "z = com.microsoft.GatherBlockQuantized(q, i, w)"
    assert limits(body, "uint8[6,4] q, int64[2] i") == {"i": 6}
