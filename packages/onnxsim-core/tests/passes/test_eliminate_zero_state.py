"""eliminate_zero_state: recurrent layers start at zero by themselves."""

import numpy as np
import onnx
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.eliminate_zero_state import leave_out_zero_state
from onnxsim_testkit import assert_same_outputs, model, random_feeds
from onnxsim_testkit.running import run_reference

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
NOT_ZERO = "no initial state is known to be zero"
SIZES = "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(one, n, two) "
BOTH = 'direction="bidirectional"'
FORMS = {
    "as tf2onnx writes it": "s = Shape(x) n = Slice(s, one, two, o) c = Concat<axis=0>(n, two) e = Expand(zero, c) "
                            "h = Unsqueeze(e, o)",
    "Expand of zeros": "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(one, n, one) h = Expand(zeros, c)",
    "ConstantOfShape": SIZES + "h = ConstantOfShape(c)",
    "ConstantOfShape with a value": SIZES + "h = ConstantOfShape<value = float[1] {0}>(c)",
    "constant": "h = Identity(zeros)",
    "Reshape": "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(n, two) e = Expand(zero, c) h = Reshape(e, wide)",
    "Transpose": "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(n, one, two) e = ConstantOfShape(c) "
                 "h = Transpose<perm=[1,0,2]>(e)",
    "Squeeze": SIZES + "d = Concat<axis=0>(one, c) e = ConstantOfShape(d) h = Squeeze(e, o)",
    "Tile": "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(one, n, one) h = Tile(zeros, c)",
    "Cast": SIZES + "e = ConstantOfShape<value = int64[1] {0}>(c) h = Cast<to=1>(e)",
    "CastLike": SIZES + "e = ConstantOfShape<value = int64[1] {0}>(c) h = CastLike(e, x)",
    "Gather": "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(two, n, two) e = ConstantOfShape(c) "
              "h = Gather<axis=0>(e, o)",
    "Split": "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(two, n, two) e = ConstantOfShape(c) "
             "a, h = Split<axis=0>(e)",
}
STACKED = "n = Shape<start=1,end=2>(x) c = Concat<axis=0>(four, n, two) e = ConstantOfShape(c) h = Slice(e, o, two, o)"
PARTS = SIZES + "a = Expand(zero, c) k = ConstantOfShape(c) h = Concat<axis=0>(a, k)"


def layer(op, chain="", states='"", h, h', *, attributes="", inputs="", batch="batch", constants="", outputs="y",
          layout=0):
    """A graph of one recurrent layer with two hidden units that reads what the chain makes."""
    directions = 2 if "bidirectional" in attributes else 1
    rows = 2 * GATES[op]
    r = ",".join(str((i * 5 % 11 - 5) / 8) for i in range(directions * rows * 2))
    b = ",".join(str((i * 3 % 7 - 3) / 4) for i in range(directions * rows * 2))
    if op != "LSTM" and states.endswith("h, h"):
        states = states.removesuffix(", h")
    ends = f"float[{directions},batch,2]" if not layout else f"float[batch,{directions},2]"
    shapes = {"y": f"float[seq,{directions},batch,2]" if not layout else f"float[batch,seq,{directions},2]",
              "yh": ends, "yc": ends}
    named = [name for name in outputs.replace('"', "").split(", ") if name]
    given = f"float[seq,{batch},4] x" if not layout else f"float[{batch},seq,4] x"
    return (
        f"g ({given}, float[{directions},{rows},4] w{inputs and ', ' + inputs}) => "
        f"({', '.join(f'{shapes[name]} {name}' for name in named)}) "
        f"<float[{directions},{rows},2] r = {{{r}}}, float[{directions},{2 * rows}] b = {{{b}}}, float zero = {{0}}, "
        "float[1,1,2] zeros = {0,0}, int64[1] o = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] four = {4}, "
        f"int64[3] wide = {{1,-1,2}}{constants and ', ' + constants}> {{ {chain} {outputs} = "
        f"{op}<hidden_size = 2{attributes and ', ' + attributes}>(x, w, r, b{states and ', ' + states}) }}"
    )


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("form", FORMS)
def test_fires(form, op):
    batch = "1" if form == "constant" else "batch"
    assert_rewrites(leave_out_zero_state, layer(op, FORMS[form], batch=batch), layer(op, states="", batch=batch),
                    hazards=op == "LSTM")


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("chain", [STACKED, PARTS])
def test_both_directions(chain, op):
    result = assert_rewrites(
        leave_out_zero_state,
        layer(op, chain, "lengths, h, h", attributes=BOTH, inputs="int32[batch] lengths"),
        layer(op, "", "lengths", attributes=BOTH, inputs="int32[batch] lengths"),
        hazards=op == "RNN",
    )
    assert list(result.graph.node[-1].input) == ["x", "w", "r", "b", "lengths"]


@pytest.mark.parametrize(("opset", "batch"), [(7, "2"), (14, "2"), (22, "2"), (22, "batch")])
@pytest.mark.parametrize("op", GATES)
def test_stored_zeros(op, opset, batch):
    """With a batch of any size, the layer is no longer for a batch of two alone."""
    constants, header = "float[1,2,2] h = {0,0,0,0}", f'<ir_version: 8, opset_import: ["" : {opset}]> '
    assert_rewrites(leave_out_zero_state, header + layer(op, constants=constants, batch=batch),
                    header + layer(op, states="", batch=batch))


@pytest.mark.parametrize(
    ("states", "left"),
    [
        ('"", h, s', '"", "", s'),
        ('"", s, h', '"", s'),
        ('lengths, h, h, p', 'lengths, "", "", p'),
        ('"", h, "", p', '"", "", "", p'),
        ('"", "", h', ""),
    ],
)
def test_what_else_the_layer_reads_stays(states, left):
    inputs = "float[1,batch,2] s, float[1,6] p, int32[batch] lengths"
    assert_rewrites(leave_out_zero_state, layer("LSTM", FORMS["ConstantOfShape"], states, inputs=inputs),
                    layer("LSTM", "", left, inputs=inputs))


@pytest.mark.parametrize(("op", "outputs"), [("LSTM", "y, yh, yc"), ("LSTM", '"", "", yc'), ("LSTM", "y, yh"),
                                             ("GRU", '"", yh'), ("RNN", "y, yh")])
def test_outputs_that_are_left_out_stay_so(op, outputs):
    before = layer(op, FORMS["ConstantOfShape"], outputs=outputs)
    result = assert_rewrites(leave_out_zero_state, before, layer(op, states="", outputs=outputs))
    assert list(result.graph.node[-1].output) == outputs.replace('"', "").split(", ")


@pytest.mark.parametrize("op", GATES)
def test_with_the_batch_first(op):
    """onnxruntime has no layout=1, so onnx's own evaluator judges."""
    chain = "n = Shape<start=0,end=1>(x) c = Concat<axis=0>(n, one, two) h = ConstantOfShape(c)"
    original = model(layer(op, chain, attributes="layout=1", layout=1, outputs="y, yh"))
    result, driver = apply(leave_out_zero_state, original)
    assert driver.changes and [node.op_type for node in result.graph.node] == [op]
    assert list(result.graph.node[0].input) == ["x", "w", "r", "b"]
    feeds = random_feeds(original, dims={"batch": 3, "seq": 2})
    found, wanted = run_reference(result, feeds), run_reference(original, feeds)
    assert found["y"].shape == (3, 2, 1, 2)
    for name in ("y", "yh"):
        np.testing.assert_array_equal(found[name], wanted[name])


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize(
    ("chain", "constants"),
    [
        (SIZES + "h = ConstantOfShape<value = float[1] {1}>(c)", ""),
        (SIZES + "h = Expand(tiny, c)", "float tiny = {1e-30}"),
        (SIZES + "f = Cast<to=1>(n) h = Expand(f, c)", ""),
        (SIZES + "a = Expand(zero, c) h = Neg(a)", ""),
        ("h = Identity(mixed)", "float[1,2,2] mixed = {0,0,0,1}"),
        ("h = Identity(s)", ""),
        (SIZES + "h = acme.Expand(zero, c)", ""),
    ],
)
def test_declines_what_may_not_be_zero(chain, constants, op):
    before = layer(op, chain, constants=constants, inputs="float[1,batch,2] s")
    assert_skips(leave_out_zero_state, before, NOT_ZERO, domains={"acme": 1})


@pytest.mark.parametrize("op", GATES)
def test_declines_a_state_that_is_zero_in_part(op):
    chain = SIZES + "a = Expand(zero, c) k = ConstantOfShape<value = float[1] {0.5}>(c) h = Concat<axis=0>(a, k)"
    assert_skips(leave_out_zero_state, layer(op, chain, attributes=BOTH), NOT_ZERO)
    chain = SIZES + "a = Expand(zero, c) h = Concat<axis=0>(a, s)"
    before = layer(op, chain, attributes=BOTH, inputs="float[1,batch,2] s")
    assert_skips(leave_out_zero_state, before, NOT_ZERO)


@pytest.mark.parametrize("op", GATES)
def test_declines_negative_zeros(op):
    """Sums of them may have another sign."""
    given = {"h": np.full((1, 2, 2), -0.0, np.float32)}
    assert_skips(leave_out_zero_state, layer(op, batch="2"), NOT_ZERO, initializers=given)


def test_declines_a_layer_without_states():
    assert_skips(leave_out_zero_state, layer("GRU", states=""), NOT_ZERO)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize(
    ("constants", "options"),
    [
        ("float[1,3,2] h = {0,0,0,0,0,0}", {}),
        ("float[2,2,2] h = {0,0,0,0,0,0,0,0}", {}),
        ("float[1,2,1] h = {0,0}", {}),
        ("float[2,2] h = {0,0,0,0}", {}),
        ("float[1,2,2] h = {0,0,0,0}", {"attributes": BOTH}),
        ("float[1,2,2] h = {0,0,0,0}", {"attributes": "layout=1", "layout": 1}),
    ],
)
def test_declines_a_shape_that_the_runtime_refuses(constants, options, op):
    assert_skips(leave_out_zero_state, layer(op, constants=constants, batch="2", **options),
                 "an initial state has another shape than it must have")


def test_weights_by_which_zero_is_no_zero():
    """Zero times infinity is NaN, but not where onnxruntime spares an RNN the product."""
    reason = "zero times the recurrence weights may not be zero"
    before = layer("RNN", FORMS["ConstantOfShape"]).replace("float[1,2,2] r = {-0.625,", "float[1,2,2] r = {inf,")
    assert "{inf," in before
    assert_skips(leave_out_zero_state, before, reason)
    computed = layer("RNN", FORMS["ConstantOfShape"]).replace("(x, w, r,", "(x, w, q,")
    assert_skips(leave_out_zero_state, computed.replace("> { ", "> { q = Exp(r) "), reason)
    for op in ("LSTM", "GRU"):
        original = model(layer(op, FORMS["ConstantOfShape"]).replace("r = {-0.625,", "r = {inf,"))
        result, driver = apply(leave_out_zero_state, original)
        assert driver.changes
        assert np.isinf(onnx.numpy_helper.to_array(result.graph.initializer[0])).any()
        assert_same_model(original, result, rtol=0, atol=0)


@pytest.mark.parametrize("op", GATES)
def test_what_a_caller_may_set_is_not_taken_for_zero(op):
    stored = model(layer(op, constants="float[1,2,2] h = {0,0,0,0}", batch="2"))
    assert len(simplify(stored).model.graph.node[0].input) == 4
    tunable = simplify(stored, initializers_as_constants=False).model
    assert "h" in tunable.graph.node[-1].input
    stored.graph.input.append(onnx.helper.make_tensor_value_info("h", 1, [1, 2, 2]))
    overridable = simplify(stored, mutable_initializer=True).model
    assert "h" in overridable.graph.node[-1].input
    result, driver = apply(leave_out_zero_state, stored, overridable=True)
    assert not driver.changes and "h" in result.graph.node[-1].input


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize(
    ("chain", "attributes"),
    [(FORMS["as tf2onnx writes it"], ""), (STACKED, BOTH), (PARTS, BOTH), (FORMS["Expand of zeros"], ""),
     (FORMS["Reshape"], 'direction="reverse", clip=0.5')],
)
def test_no_arithmetic_is_left(chain, attributes, op):
    outputs = "y, yh, yc" if op == "LSTM" else "y, yh"
    original = model(layer(op, chain, "lengths, h, h", attributes=attributes, inputs="int32[batch] lengths",
                           outputs=outputs))
    result = simplify(original).model
    assert [node.op_type for node in result.graph.node] == [op]
    assert list(result.graph.node[0].input) == ["x", "w", "r", "b", "lengths"]
    for batch in (1, 3):
        feeds = random_feeds(original, seed=batch, dims={"batch": batch, "seq": 4})
        assert_same_outputs(original, result, feeds, rtol=0, atol=0)
