"""What enters a body, what is visited, and which sizes mean something outside."""

import pytest

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Graph
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.bodies import Outside, body_of, give, give_like, unchanged, visit
from onnxsim_testkit import model

ops.load()


def read(text: str) -> tuple[Inference, Graph]:
    ctx = Inference(read_model(model(text).SerializeToString()))
    ctx.walk(ctx.model.graph)
    assert ctx.model.graph.last is not None
    return ctx, next(iter(ctx.model.graph.last.bodies.values()))  # type: ignore[union-attr]


NODES = "d = Identity(c) z = NonZero(v) r = Reshape(q, s) s = Shape(q) o = Identity(v)"
LOOP = (
    "g (int64 M, float[n,4] x, float[m,4] w) => () { q = NonZero(w) "
    f"y = Loop<body = l (int64 i, bool c, float[] v) => (bool d, float[] o) {{ {NODES} }}>(M, , x) }}"
)


def test_sizes_made_inside_mean_nothing_outside():
    ctx, body = read(LOOP)
    n, four = ctx.model.graph.inputs[1].shape
    inside = next(node for node in body if node.op_type == "NonZero").outputs[0].shape
    captured = ctx.model.graph.first.outputs[0].shape
    outside = Outside(body, ctx)
    assert outside.sizes((n, four)) == (n, 4)
    assert outside.sizes(inside) == (2, None)
    assert outside.sizes(captured) == captured
    assert outside.sizes(None) is None


def test_a_body_hands_on_what_it_got_through_identities():
    _, body = read(LOOP)
    assert unchanged(body.inputs[2], body.outputs[1])
    assert unchanged(body.inputs[2], body.inputs[2])
    assert not unchanged(body.inputs[1], body.outputs[1])


def test_facts_of_an_input_are_replaced_and_readers_hear_of_it_once():
    ctx, body = read(LOOP)
    heard = []
    ctx.changed = heard.append
    value = body.inputs[2]
    for _ in range(2):
        give(value, 1, (5, 6), ctx)
    assert (value.shape, heard) == ((5, 6), [value])
    give(value, 0, None, ctx)
    assert (value.dtype, value.shape, len(heard)) == (1, None, 2)


def test_names_that_a_reader_gave_the_elements_of_an_input_stay():
    ctx, body = read(LOOP)
    value = body.inputs[2]
    give(value, 7, (2,), ctx)
    names = (ctx.fresh(), ctx.fresh())
    ctx.set(value, data=names)
    heard = []
    ctx.changed = heard.append
    give(value, 7, (2,), ctx)
    assert (value.data, heard) == (names, [])
    give(value, 7, (3,), ctx)
    assert (value.data, heard) == (None, [value])


def test_an_input_like_a_doubtful_value_gets_only_its_type():
    ctx, body = read(LOOP)
    outer = ctx.model.graph.inputs[1]
    give_like(body.inputs[2], outer, ctx)
    assert body.inputs[2].shape == outer.shape
    outer.doubtful = True
    give_like(body.inputs[2], outer, ctx)
    assert body.inputs[2].shape is None


def test_a_body_that_is_being_swept_is_not_entered_again():
    ctx, body = read(LOOP)
    entered = []

    def enter(graph: Graph) -> None:
        entered.append(graph)
        assert not visit(body, ctx)

    ctx.enter = enter
    assert visit(body, ctx)
    assert entered == [body]
    assert not ctx.open_bodies


def test_nothing_is_said_of_an_owner_that_died_while_its_body_was_swept():
    ctx, body = read(LOOP)
    ctx.enter = lambda graph: graph.owner.graph.unlink(graph.owner)
    assert not visit(body, ctx)


def test_a_sweep_that_fails_leaves_no_body_open():
    ctx, body = read(LOOP)

    def fail(graph: Graph) -> None:
        raise ValueError

    ctx.enter = fail
    with pytest.raises(ValueError):
        visit(body, ctx)
    assert not ctx.open_bodies


@pytest.mark.parametrize(
    ("inputs", "outputs", "found"), [(3, 2, True), (None, None, True), (2, 2, False), (3, 1, False)]
)
def test_a_body_has_to_take_and_give_as_many_values_as_its_node(inputs, outputs, found):
    ctx, body = read(LOOP)
    assert body_of(ctx.model.graph.last, inputs, outputs) is (body if found else None)
    assert body_of(ctx.model.graph.first) is None
