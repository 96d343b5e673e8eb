"""Facts about values: how they merge, when a contradiction casts doubt, and whom to believe."""

import numpy as np
import pytest

from onnxsim_core import ops
from onnxsim_core.infer.engine import DATA_LIMIT, Inference
from onnxsim_core.ir.graph import Value
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import ArrayTensor
from onnxsim_testkit import model

ops.load()
FLOAT, INT64 = 1, 7


def infer(text: str, opset: int = 17, **initializers: np.ndarray) -> tuple[Inference, dict[str, Value]]:
    """Read and infer; gives all values of the main graph by name."""
    proto = model(text, opset=opset, domains={"acme": 1}, initializers=initializers)
    ir = read_model(proto.SerializeToString())
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    values = [*ir.graph.inputs, *ir.graph.constants, *(v for node in ir.graph for v in node.outputs)]
    return ctx, {value.name: value for value in values}


@pytest.fixture
def ctx() -> Inference:
    return infer("g (float[n,m] x) => () { y = Neg(x) }")[0]


def shape(value: Value) -> list[str] | None:
    return None if value.shape is None else [str(size) for size in value.shape]


# --- merging ---------------------------------------------------------------------------------------------------------
def test_facts_only_narrow(ctx):
    n, m = ctx.model.graph.inputs[0].shape
    value = Value("v", ctx.model.graph)
    news = []
    ctx.changed = lambda changed: news.append(shape(changed))
    ctx.set(value, FLOAT, (ctx.fresh(), ctx.fresh(), 3))
    ctx.set(value, FLOAT, [n, ctx.fresh(), 3])  # a name says more than none
    ctx.set(value, 0, (ctx.fresh(), 5, ctx.fresh()))  # a number says more than none, none does not take a name back
    ctx.set(value, 0, (7, m, n))
    assert value.shape == (7, 5, 3) and not value.doubtful
    assert len(news) == 4 and news[1][0] == "n" and news[2:] == [["n", "5", "3"], ["7", "5", "3"]]
    ctx.set(value, FLOAT, (7, 5, 3))
    ctx.set(value, 0, None)
    assert len(news) == 4  # nothing new, nobody told


def test_a_contradiction_casts_doubt(ctx):
    graph = ctx.model.graph
    sizes, rank, kind = Value("a", graph), Value("b", graph), Value("c", graph)
    ctx.set(sizes, FLOAT, (2, 3))
    ctx.set(sizes, FLOAT, (2, 4))
    assert sizes.doubtful and sizes.shape == (2, 4)
    ctx.set(rank, FLOAT, (2,))
    ctx.set(rank, FLOAT, (2, 1))
    assert rank.doubtful and rank.shape == (2, 1)
    ctx.set(kind, FLOAT, (2,))
    ctx.set(kind, INT64, (2,))
    assert kind.doubtful and kind.dtype == INT64


def test_the_rank_of_inputs_and_constants_is_beyond_doubt(ctx):
    x = ctx.model.graph.inputs[0]
    before = x.shape
    ctx.set(x, 0, (4,))
    assert x.shape == before and not x.doubtful
    constant = ctx.model.graph.constant(ArrayTensor(np.zeros((2, 2), np.float32)), "k")
    ctx.set(constant, 0, (4,))
    assert constant.shape == (2, 2) and not constant.doubtful


# --- whom to believe -------------------------------------------------------------------------------------------------
def test_a_declared_type_counts_where_no_rule_knows():
    _, values = infer("g (float[n,3] x) => () <int64[2,q] u, float[9] v> { u = acme.Op(x) v = Relu(x) w = acme.Op(u) }")
    assert values["u"].dtype == INT64 and values["u"].shape[0] == 2
    assert shape(values["v"]) == ["n", "3"]  # the rule knows better than the file
    assert values["w"].dtype == 0 and values["w"].shape is None


def test_a_declared_name_of_a_size_promises_nothing():
    """Files give one name to sizes that differ: only the numbers of what no rule knows are believed."""
    ctx, values = infer("g (float[n] x) => (float[n,4] y) { y = acme.Op(x) }")
    size, four = values["y"].shape
    assert four == 4 and size != values["x"].shape[0] and ctx.symbols.is_anonymous(size)


def test_a_declared_type_of_a_doubtful_value_counts_for_nothing():
    ctx, values = infer("g (float[n] x) => () { y = acme.Op(x) }")
    graph, y = ctx.model.graph, values["y"]
    graph.value_info["y"] = model("g () => (float[5] y) { y = acme.Op() }", domains={"acme": 1}).graph.output[0]
    y.doubtful = True
    ctx.declared(y)
    assert y.shape is None and not y.dtype
    y.doubtful = False
    ctx.declared(y)
    assert y.shape == (5,) and y.dtype == FLOAT


def test_a_declared_shape_in_a_loop_counts_for_nothing():
    ctx, _ = infer("""g (float[2] x, int64 n, bool c) => (float[] y) {
        y = Loop(n, c, x) <body = b (int64 i, bool k, float[] p) => (bool l, float[] r) <float[7] q> {
            l = Identity(k) q = acme.Op(p) r = Neg(q) }> }""")
    body = ctx.model.graph.first.bodies["body"]
    ctx.walk(body)
    q = next(v for node in body for v in node.outputs if v.name == "q")
    assert q.dtype == FLOAT and q.shape is None


def test_inferring_constants_only_leaves_the_rest_as_the_file_states_it():
    proto = model("g (float[n,3] x) => () <float[9] v> { v = Relu(x) s = Shape(k) }", opset=17,
                  initializers={"k": np.zeros((4, 5), np.float32)})
    ir = read_model(proto.SerializeToString())
    ctx = Inference(ir)
    ctx.infer_constants_only()
    ctx.walk(ir.graph)
    v, s = (node.outputs[0] for node in ir.graph)
    assert v.shape == (9,) and s.data == (4, 5)


# --- elements --------------------------------------------------------------------------------------------------------
def test_elements_are_followed_up_to_a_limit():
    ctx, values = infer("g (float[n,3] x) => () { s = Shape(x) t = Concat<axis = 0>(s, a) u = Concat<axis = 0>(s, b) }",
                        a=np.arange(DATA_LIMIT - 2), b=np.arange(DATA_LIMIT - 1))
    assert [str(d) for d in ctx.data(values["s"])] == ["n", "3"] and ctx.ints(values["s"]) is None
    assert len(ctx.data(values["t"])) == DATA_LIMIT
    assert values["u"].shape == (DATA_LIMIT + 1,) and ctx.data(values["u"]) is None
    at_limit = Value("w", ctx.model.graph)
    ctx.set(at_limit, INT64, None, tuple(range(DATA_LIMIT + 1)))
    assert at_limit.data is None


def test_only_small_integer_constants_have_elements():
    ctx, values = infer(f"g (int64[2] x) => () {{ {' '.join(f'o{c} = Identity({c})' for c in 'abcde')} }}",
                        a=np.array([[1, -2]]), b=np.array([True, False]), c=np.float32([1]), d=np.zeros(257, np.int64),
                        e=np.array([1, 2], np.int8))
    assert ctx.ints(values["a"]) == (1, -2) and ctx.ints(values["b"]) == (1, 0)
    assert [ctx.data(values[name]) for name in "cde"] == [None] * 3
    assert ctx.data(values["x"]) is None and ctx.data(None) is None and ctx.ints(None) is None


def test_a_scalar_is_the_one_number_of_a_constant():
    ctx, values = infer("g (float x) => () { p = Identity(a) q = Identity(b) r = Identity(s) t = Identity(o) }",
                        a=np.float32([[2.5]]), b=np.float32([1, 2]), s=np.array(["w"], dtype=object),
                        o=np.float32(1))
    assert ctx.scalar(values["a"]) == 2.5 and type(ctx.scalar(values["a"])) is float
    assert [ctx.scalar(values.get(name)) for name in ("b", "s", "x", "none")] == [None] * 4
    values["o"].is_input = True  # a caller may set it
    assert ctx.scalar(values["o"]) is None
