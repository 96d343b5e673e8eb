"""Generated inputs: sizes that belong together, plausible values, the same for the same seed."""

import numpy as np
import pytest

from onnxsim_core import OptionError
from onnxsim_core.check.feeds import check_fill, make_feeds, sizes_to_try
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model


def read(inputs, **options):
    return read_model(model(f"g ({inputs}) => (float[2] z) {{ z = Constant<value_floats=[1.0, 2.0]>() }}", **options))


def feeds(inputs, *, seed=0, **options):
    ir = read(inputs)
    return make_feeds(ir, next(sizes_to_try(ir, options.get("shapes") or {})), seed=seed, **options)


def shapes_of(inputs, **options):
    return {name: value.shape for name, value in feeds(inputs, **options).items()}


def with_dims(ir_inputs, **names):
    """The text format has no formula names: put them in afterwards."""
    proto = model(f"g ({ir_inputs}) => (float[2] z) {{ z = Constant<value_floats=[1.0, 2.0]>() }}")
    for info in proto.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            dim.dim_param = names.get(dim.dim_param, dim.dim_param)
    return read_model(proto)


def test_a_symbol_has_one_size_in_all_inputs_and_symbols_differ():
    found = shapes_of("float[n,m] a, float[m,n] b, float[n,7] c")

    n, m = found["a"]
    assert found["b"] == (m, n) and found["c"] == (n, 7) and n != m


def test_given_sizes_hold_for_the_symbol_everywhere():
    ir = read("float[n,m] a, float[m,n] b")
    tried = list(sizes_to_try(ir, {"a": [9, -1]}))

    assert len(tried) > 5 and all(sizes["n"] == 9 for sizes in tried)
    assert len({sizes["m"] for sizes in tried}) > 5
    assert list(sizes_to_try(ir, {"a": [9, 8]})) == [{"n": 9, "m": 8}]
    assert list(sizes_to_try(read("float[3] a"), {})) == [{}]


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("n + 1", lambda n, m: n + 1),
        ("n+m", lambda n, m: n + m),
        ("2*n + m", None),
        ("n * m - 1", lambda n, m: n * m - 1),
    ],
)
def test_a_name_that_is_a_formula_gets_its_value(formula, value):
    ir = with_dims("float[n,m] a, float[k] b", k=formula)
    for sizes in sizes_to_try(ir, {}):
        n, m = sizes["n"], sizes["m"]
        wanted = value(n, m) if value else sizes[formula]
        assert sizes[formula] == max(wanted, 1) > 0


@pytest.mark.parametrize("formula", ["other + 1", "_other + 1", "n - 99999"])
def test_a_formula_without_a_positive_value_gets_a_guess(formula):
    ir = with_dims("float[n] a, float[k] b", k=formula)

    assert all(sizes[formula] > 0 for sizes in sizes_to_try(ir, {}))


def test_seeds_reproduce_and_inputs_are_independent_of_each_other():
    a, again, other = (feeds("float[4] x, float[4] y", seed=seed) for seed in (3, 3, 4))
    alone = feeds("float[4] y", seed=3)

    assert a["x"].tolist() == again["x"].tolist() != other["x"].tolist()
    assert a["x"].tolist() != a["y"].tolist() == alone["y"].tolist()


def test_values_are_of_the_type_and_in_the_range():
    found = feeds(
        "float16[99] h, bfloat16[99] b, double[99] d, int32[99] i, uint8[99] u, bool[99] t, string[99] s, "
        "complex64[3] c, int64[99] attention_mask, float[] r, float[0,3] e"
    )

    assert {name: str(value.dtype) for name, value in found.items()} == {
        "h": "float16", "b": "bfloat16", "d": "float64", "i": "int32", "u": "uint8", "t": "bool", "s": "object",
        "c": "complex64", "attention_mask": "int64", "r": "float32", "e": "float32",
    }  # fmt: skip
    for name in "hbd":
        assert 0 <= found[name].astype(float).min() < found[name].astype(float).max() <= 1
    assert set(found["i"].tolist()) == set(range(5)) and set(found["attention_mask"].tolist()) == {0, 1}
    assert set(found["t"].tolist()) == {False, True} and len(set(found["s"].tolist())) > 1
    assert found["e"].shape == (0, 3)


def test_indices_point_at_what_is_there():
    ir = read_model(
        model(
            "g (int64[200] i, int64[200] free) => (float[200] z, int64[200] f) <float[3] w={1,2,3}> "
            "{ z = Gather(w, i) f = Neg(free) }"
        )
    )
    random, line = (make_feeds(ir, {}, seed=0, fill=fill) for fill in ("random", "arange"))

    assert set(random["i"].tolist()) == {0, 1, 2} and random["free"].max() == 4
    assert line["i"].tolist()[:5] == [0, 1, 2, 0, 1] and line["free"].tolist() == list(range(200))


def test_fills():
    assert feeds("float[2,2] x, int32[2] i", fill="ones")["x"].tolist() == [[1, 1], [1, 1]]
    assert feeds("bool[2] x", fill="zeros")["x"].tolist() == [False, False]
    assert feeds("float16[2,2] x", fill="arange")["x"].tolist() == [[0, 1], [2, 3]]
    check_fill("arange")
    with pytest.raises(OptionError, match="input_fill is one of random, ones, zeros, arange, not 'noise'"):
        check_fill("noise")


def test_given_data_is_used_and_an_input_with_a_default_is_left_to_it():
    x = np.full(5, 7, np.float32)
    ir = read_model(model("g (float[n] x, float[2] w) => (float[2] z) <float[2] w={1,2}> { z = Identity(w) }"))

    found = make_feeds(ir, {"n": 2}, seed=0, data={"x": x})
    assert list(found) == ["x"] and found["x"] is x


def test_sequences_and_optionals_hold_tensors():
    found = feeds("seq(float[3]) s, optional(int64[2]) o")

    assert [(item.shape, item.dtype) for item in found["s"]] == [((3,), np.float32)] * 2
    assert (found["o"].shape, found["o"].dtype) == ((2,), np.int64)


def test_what_cannot_be_made_up_is_an_error():
    with pytest.raises(OptionError, match=r"no value can be made up for input 'm' \(map_type\).*input_data"):
        feeds("map(int64, float[2]) m")
    assert feeds("map(int64, float[2]) m", data={"m": {1: 2.0}}) == {"m": {1: 2.0}}


def test_an_input_of_unknown_rank_takes_the_given_shape():
    proto = model("g (float[1] x) => (float[1] z) { z = Relu(x) }")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    ir = read_model(proto)

    assert make_feeds(ir, {}, seed=0)["x"].shape == (1,)
    assert make_feeds(ir, {}, seed=0, shapes={"x": [2, 3]})["x"].shape == (2, 3)
