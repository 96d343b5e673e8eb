"""Facts about what is inside sequences and optionals."""

import pytest

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.containers import (
    UNKNOWN,
    Element,
    common_sizes,
    element,
    held_tensor,
    is_sequence,
    merge_elements,
    optional_type,
    sequence_type,
    set_sequence,
    set_tensor,
    set_type,
    tensor_type,
)
from onnxsim_testkit import model


@pytest.fixture
def ctx() -> Inference:
    return Inference(read_model(model("g (float[n,m] x) => (float[n,m] y) { y = Relu(x) }").SerializeToString()))


def test_sizes_survive_the_way_in_and_out(ctx):
    """A formula has no name and comes out unknown."""
    value = ctx.model.graph.first.outputs[0]
    n, m = ctx.model.graph.inputs[0].shape
    set_sequence(value, Element(1, (n, 4, n + m, None)), ctx)
    assert is_sequence(value)
    assert element(value, ctx) == Element(1, (n, 4, None, None))


def test_fresh_sizes_are_found_again(ctx):
    value = ctx.model.graph.first.outputs[0]
    size = ctx.fresh()
    set_sequence(value, Element(1, (size,)), ctx)
    assert element(value, ctx) == Element(1, (size,))


def test_an_unknown_rank_is_not_a_scalar(ctx):
    value = ctx.model.graph.first.outputs[0]
    set_type(value, sequence_type(tensor_type(1, None)), ctx)
    assert element(value, ctx) == Element(1, None)
    set_type(value, sequence_type(tensor_type(1, ())), ctx)
    assert element(value, ctx) == Element(1, ())


def test_optionals_hold_a_tensor_or_a_sequence(ctx):
    value = ctx.model.graph.first.outputs[0]
    value.dtype = 0
    set_type(value, optional_type(tensor_type(7, (2,))), ctx)
    assert (held_tensor(value, ctx), element(value, ctx), is_sequence(value)) == (Element(7, (2,)), UNKNOWN, False)
    set_type(value, optional_type(sequence_type(tensor_type(7, (2,)))), ctx)
    assert (held_tensor(value, ctx), element(value, ctx)) == (UNKNOWN, Element(7, (2,)))


def test_what_is_no_container_has_no_elements(ctx):
    value = ctx.model.graph.first.outputs[0]
    assert (element(None, ctx), element(value, ctx), held_tensor(value, ctx)) == (UNKNOWN, UNKNOWN, UNKNOWN)
    nested = sequence_type(sequence_type(tensor_type(1, None)))
    set_type(value, nested, ctx)
    assert element(value, ctx) == UNKNOWN


def test_nothing_is_said_of_a_sequence_without_a_type(ctx):
    value = ctx.model.graph.first.outputs[0]
    set_sequence(value, UNKNOWN, ctx)
    assert value.type_proto is None


def test_readers_hear_of_a_type_once(ctx):
    heard = []
    ctx.changed = heard.append
    value = ctx.model.graph.first.outputs[0]
    for _ in range(2):
        set_sequence(value, Element(1, (2,)), ctx)
    assert heard == [value]


def test_a_tensor_gets_fresh_sizes_for_unknown_ones(ctx):
    value = ctx.model.graph.first.outputs[0]
    set_tensor(value, Element(1, (2, None)), ctx)
    assert value.shape[0] == 2
    assert ctx.symbols.is_anonymous(value.shape[1])


def test_common_sizes(ctx):
    n, m = ctx.model.graph.inputs[0].shape
    assert common_sizes((n, 2), (n, 2)) == (n, 2)
    assert common_sizes((n, 2), (m, 3)) == (None, None)
    assert common_sizes((n, None), (n, None)) == (n, None)
    assert common_sizes((n,), (n, 2)) is None
    assert common_sizes(None, (n,)) is None
    assert common_sizes((), ()) == ()


def test_merging_elements(ctx):
    n, m = ctx.model.graph.inputs[0].shape
    assert merge_elements([]) == UNKNOWN
    assert merge_elements([Element(1, (n, 2)), Element(1, (m, 2)), Element(1, (n, 2))]) == Element(1, (None, 2))
    assert merge_elements([Element(1, (n, 2)), Element(1, None)]) == Element(1, None)
    assert merge_elements([Element(0, None), Element(1, (2,))]) == Element(1, None)
