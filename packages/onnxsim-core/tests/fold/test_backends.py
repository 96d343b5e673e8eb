"""What has no kernel is computed by a runtime, in as few sessions as possible, and never at the price of the model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from onnxsim_core import ops
from onnxsim_core.errors import OptionError
from onnxsim_core.fold import backends
from onnxsim_core.fold.engine import Folder
from onnxsim_core.infer.engine import Inference
from onnxsim_core.infer.tail import infer_by_schema
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.rewrite.driver import Driver
from onnxsim_testkit import assert_same_outputs, model, random_feeds

ops.load()


class Work:
    """A model whose nodes without kernels wait for `run`."""

    def __init__(self, text: str, opset: int = 21, **initializers: Any) -> None:
        self.proto = model(text, opset=opset, initializers=initializers)
        self.model = read_model(self.proto.SerializeToString())
        self.ctx = Inference(self.model, tail=infer_by_schema)
        self.folder = Folder(self.ctx)
        self.driver = Driver(self.model, {}, ctx=self.ctx, fold=self.folder.fold)
        self.driver.run()

    def waiting(self) -> list[str]:
        return [node.op_type for node in self.folder.pending]

    def run(self, providers: Sequence[Any] = ()) -> int:
        return backends.run_pending(self.folder, self.driver, providers)

    def left(self) -> list[str]:
        return [node.op_type for node in self.model.graph]

    def assert_same(self) -> None:
        assert_same_outputs(
            self.proto, model_proto(self.model), random_feeds(self.proto, dims={"n": 3}), rtol=0, atol=0
        )


def without_kernels(folder: Folder, *op_types: str) -> None:
    for op_type in op_types:
        folder.table[op_type] = None


class Counted:
    """Counts the models that are handed to a runtime."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sessions = 0
        real = backends.attempt

        def attempt(run: Any, stub: Any) -> Any:
            self.sessions += 1
            return real(run, stub)

        monkeypatch.setattr(backends, "attempt", attempt)


def normalised(count: int) -> str:
    """`count` waiting nodes over one constant, each added to x."""
    nodes = " ".join(f"a{i} = LpNormalization<p = {1 + i % 2}>(c) b{i} = Add(x, a{i})" for i in range(count))
    outputs = ", ".join(f"float[n,3] b{i}" for i in range(count))
    return f"g (float[n,3] x) => ({outputs}) {{ {nodes} }}"


C = np.array([[1, 2, 3]], np.float32)


def test_all_waiting_nodes_share_one_session(monkeypatch):
    work = Work(normalised(20), c=C)
    assert work.waiting() == ["LpNormalization"] * 20
    counted = Counted(monkeypatch)
    assert work.run() == 20
    assert counted.sessions == 1
    assert work.left() == ["Add"] * 20
    assert not work.folder.pending and not work.folder.refused
    work.assert_same()


def test_nothing_waiting_opens_no_session(monkeypatch):
    counted = Counted(monkeypatch)
    assert Work("g (float[n,3] x) => (float[n,3] y) { y = Add(x, x) }").run() == 0
    assert counted.sessions == 0


def test_nodes_that_fail_stand_alone_in_the_end_and_stay_with_the_reason():
    """The Reshape of 3 elements to [2, 2] fails when it runs; its neighbours fold all the same."""
    nodes = " ".join(f"a{i} = LpNormalization<p = {1 + i % 2}>(c) b{i} = Add(x, a{i})" for i in range(6))
    outputs = ", ".join(f"float[n,3] b{i}" for i in range(6))
    text = (
        f"g (float[n,3] x, int64[2] r) => ({outputs}, float[] y) "
        f"{{ {nodes} w = Gather<axis = 0>(c, far) y = Add(w, w) far = Constant<value = int64 {{7}}>() }}"
    )
    work = Work(text, c=C)
    gather = next(node for node in work.model.graph if node.op_type == "Gather")
    work.folder.pending[gather] = None
    assert work.run() == 6
    assert sorted(work.left()) == ["Add"] * 7 + ["Gather"]
    assert "indices" in work.folder.refused[gather] or "out of" in work.folder.refused[gather]
    assert work.driver.fired["fold_constants"] >= 6


def test_a_refused_node_does_not_wait_again():
    work = Work(
        "g (float[n,3] x) => (float[] y) { w = Gather<axis = 0>(c, far) y = Add(w, x) "
        "far = Constant<value = int64 {7}>() }",
        c=C,
    )
    gather = next(node for node in work.model.graph if node.op_type == "Gather")
    work.folder.pending[gather] = None
    assert work.run() == 0
    assert work.folder.fold(gather) is None
    assert not work.folder.pending


def test_the_search_for_failing_nodes_is_bounded(monkeypatch):
    monkeypatch.setattr(backends, "SESSIONS", 5)
    work = Work(normalised(16), c=C)
    calls = []

    def broken(runtime: Any, stub: Any) -> list[Any]:
        calls.append(len(stub.nodes))
        raise RuntimeError("no")

    monkeypatch.setattr(backends.OnnxRuntime, "_session", broken)
    monkeypatch.setattr(backends, "evaluate", lambda stub: broken(None, stub))
    assert work.run() == 0
    assert len(calls) < 16
    assert len(work.folder.refused) == 16
    assert set(work.folder.refused.values()) == {"no"}


def test_onnxruntime_prints_nothing(capfd):
    work = Work(
        "g (float[n,3] x) => (float[] y) { w = Gather<axis = 0>(c, far) y = Add(w, x) "
        "far = Constant<value = int64 {7}>() }",
        c=C,
    )
    work.folder.pending[next(node for node in work.model.graph if node.op_type == "Gather")] = None
    work.run()
    assert capfd.readouterr() == ("", "")


def test_dead_and_changed_nodes_are_skipped():
    work = Work(normalised(2), c=C)
    first, second = list(work.folder.pending)
    work.driver.replace(first, [work.model.graph.inputs[0]])
    from onnxsim_core.ir.graph import set_input

    set_input(second, 0, work.model.graph.inputs[0])
    assert work.run() == 0
    assert not work.folder.refused


def test_the_reference_evaluator_does_it_where_onnxruntime_is_missing(monkeypatch):
    monkeypatch.setattr(backends, "has_onnxruntime", lambda: False)
    monkeypatch.setattr(backends.OnnxRuntime, "_session", None)
    work = Work(normalised(3), c=C)
    assert work.run() == 3
    assert work.left() == ["Add"] * 3
    expected = C / np.abs(C).sum()
    adds = list(work.model.graph)
    np.testing.assert_allclose(adds[0].inputs[1].tensor.numpy(), expected, rtol=1e-6)


def test_a_result_of_another_type_than_inferred_is_refused(monkeypatch):
    work = Work(normalised(1), c=C)
    monkeypatch.setattr(backends, "attempt", lambda run, stub: ({n: [np.zeros((1, 3))] for n in stub.nodes}, ""))
    assert work.run() == 0
    assert list(work.folder.refused.values()) == ["the runtime gave float64 where FLOAT was inferred"]


def test_a_result_of_another_shape_than_inferred_is_refused(monkeypatch):
    work = Work(normalised(1), c=C)
    monkeypatch.setattr(backends, "attempt", lambda run, stub: ({n: [np.zeros(3, np.float32)] for n in stub.nodes}, ""))
    assert work.run() == 0
    assert "the shape [3] where" in next(iter(work.folder.refused.values()))


def test_a_result_that_is_no_tensor_is_refused():
    text = (
        "g (float[n,3] x) => (float[] y) { s = SplitToSequence<axis = 1>(c) z = Constant<value = int64 {0}>() "
        "w = SequenceAt(s, z) y = Add(w, x) }"
    )
    work = Work(text, c=C)
    split = next(node for node in work.model.graph if node.op_type == "SplitToSequence")
    work.folder.pending[split] = None
    assert work.run() == 0
    assert work.folder.refused[split] == "the result is no tensor"
    work.assert_same()


def test_a_result_larger_than_the_policy_allows_is_refused():
    work = Work(normalised(1), c=C)
    work.folder.sizes.limit = 4
    work.folder.sizes.generator_limit = 4
    shared = next(iter(work.folder.pending)).inputs[0]
    assert shared is not None
    from onnxsim_core.ir.graph import add_use

    add_use(shared, work.model.graph.last)
    assert work.run() == 0
    assert "size policy" in next(iter(work.folder.refused.values()))


def test_large_constants_are_fed_and_not_copied_into_the_model(monkeypatch):
    weight = np.random.default_rng(0).standard_normal((600, 600)).astype(np.float32)
    work = Work("g (float[n,600] x) => (float[n,600] y) { w = LpNormalization(c) y = Add(x, w) }", c=weight[:600])
    seen = []
    real = backends.attempt
    monkeypatch.setattr(backends, "attempt", lambda run, stub: (seen.append(stub), real(run, stub))[1])
    work.driver.budget += 100
    assert work.run() == 1
    assert seen[0].model.ByteSize() < 1000
    assert [array.nbytes for array in seen[0].feeds.values()] == [weight.nbytes]


def test_batches_stay_below_a_number_of_bytes(monkeypatch):
    monkeypatch.setattr(backends, "BATCH_BYTES", 60)
    counted = Counted(monkeypatch)
    work = Work(normalised(5), c=C)
    assert work.run() == 5
    assert counted.sessions >= 2


# --- bodies ----------------------------------------------------------------------------------------------------------
IF = (
    "g (float[n,3] x) => (float[] y) { w = If<then_branch = t () => (float[] a) { a = LpNormalization(c) }, "
    "else_branch = e () => (float[] b) { b = Neg(c) }>(yes) y = Add(x, w) yes = Constant<value = bool {1}>() }"
)


def waiting(work: Work, op_type: str) -> Any:
    node = next(node for node in work.model.graph if node.op_type == op_type)
    work.folder.pending[node] = None
    return node


def test_a_node_whose_bodies_read_only_constants_is_computed():
    work = Work(IF, c=C)
    waiting(work, "If")
    assert work.run() >= 1
    assert work.left() == ["Add"]
    work.assert_same()


def test_a_node_whose_body_reads_an_input_stays_and_may_wait_again():
    work = Work(IF.replace("b = Neg(c)", "b = Neg(x)"), c=C)
    node = waiting(work, "If")
    work.run()
    assert "If" in work.left()
    assert node not in work.folder.refused


def loop(limit: str, before: str = "M = Constant<value = int64 {3}>()") -> str:
    return (
        f"g (float[n,3] x) => (float[] y) {{ {before} "
        "w = Loop<body = l (int64 i, bool p, float[] v) => (bool q, float[] o) "
        f"{{ q = Identity(p) o = Add(v, c) }}>({limit}, , c) y = Add(x, w) }}"
    )


@pytest.mark.runtime
def test_a_loop_of_few_runs_is_computed():
    work = Work(loop("M"), c=C)
    waiting(work, "Loop")
    assert work.run() == 1
    np.testing.assert_array_equal(work.model.graph.first.inputs[1].tensor.numpy(), C * 4)
    work.assert_same()


@pytest.mark.parametrize("text", [loop("M"), "nested"], ids=["alone", "in an If"])
def test_what_the_reference_evaluator_gets_wrong_stays(monkeypatch, text):
    """onnx.reference runs a Loop without a condition not once, whatever its limit."""
    monkeypatch.setattr(backends, "has_onnxruntime", lambda: False)
    if text == "nested":
        inner = loop("M").partition("{ ")[2].partition(" y = Add")[0]
        text = (
            "g (float[n,3] x) => (float[] y) { yes = Constant<value = bool {1}>() "
            f"w2 = If(yes) <then_branch = t () => (float[] w) {{ {inner} }}, else_branch = e () => (float[] u) "
            "{ u = Identity(c) }> y = Add(x, w2) }"
        )
    work = Work(text, c=C)
    node = waiting(work, "If" if "If(" in text else "Loop")
    assert work.run() == 0
    assert work.folder.refused[node] == "onnx's own evaluator gets it wrong in some form"


@pytest.mark.parametrize("limit", ["", "M"])
def test_a_loop_that_could_run_for_ever_is_not_started(limit):
    work = Work(loop(limit, "M = Constant<value = int64 {9223372036854775807}>()"), c=C)
    node = waiting(work, "Loop")
    assert work.run() == 0
    assert "without a limit" in work.folder.refused[node]


def test_a_loop_inside_a_branch_is_looked_at_too():
    body = "l (int64 i, bool p, float[] v) => (bool q, float[] o) { q = Identity(p) o = Add(v, c) }"
    work = Work(IF.replace("a = LpNormalization(c)", f"a = Loop<body = {body}>(, , c)"), c=C)
    node = waiting(work, "If")
    assert work.run() == 0
    assert "without a limit" in work.folder.refused[node]


def test_integers_are_never_divided_by_zero():
    work = Work(
        "g (int64[n,3] x) => (int64[] y) { w = Div(c, z) y = Add(x, w) }",
        c=np.array([[1, 2, 3]]),
        z=np.array([[1, 0, 1]]),
    )
    node = waiting(work, "Div")
    assert work.run() == 0
    assert work.folder.refused[node] == "it divides an integer by zero"


def test_nodes_of_different_bodies_with_the_same_names_share_a_session(monkeypatch):
    branch = "(float[] o) { a = LpNormalization<p = %d>(c) o = Add(a, x) }"
    text = (
        f"g (float[n,3] x, bool k) => (float[] y) {{ y = If<then_branch = t () => {branch % 1}, "
        f"else_branch = e () => {branch % 2}>(k) }}"
    )
    work = Work(text, c=C)
    assert work.waiting() == ["LpNormalization"] * 2
    counted = Counted(monkeypatch)
    assert work.run() == 2
    assert counted.sessions == 1
    work.assert_same()


# --- outputs ---------------------------------------------------------------------------------------------------------
@pytest.mark.runtime
def test_outputs_that_nobody_reads_are_not_computed():
    work = Work(
        "g (float[n,4] x) => (float[n,4] y) { v, i = MaxPool<kernel_shape = [1]>(c) w = Squeeze(v, z) y = Add(x, w) "
        "z = Constant<value = int64[2] {0, 1}>() }",
        c=np.ones((1, 1, 4), np.float32),
    )
    without_kernels(work.folder, "MaxPool")
    waiting(work, "MaxPool")
    assert work.run() == 1
    work.driver.drain()
    assert work.left() == ["Add"]


def test_strings_come_back_as_strings():
    work = Work(
        "g (string[n,2] x) => (string[n,2] y) { w = StringConcat(c, c) y = StringConcat(x, w) }",
        c=np.array([["a", "é"]], object),
    )
    if not work.waiting():
        waiting(work, "StringConcat")
    assert work.run() == 1
    assert work.model.graph.first.inputs[1].tensor.strings() == (b"aa", "éé".encode())


def test_an_unavailable_provider_is_an_error_even_with_one_node():
    with pytest.raises(OptionError, match="SpaceExecutionProvider"):
        Work(normalised(1), c=C).run(["SpaceExecutionProvider"])
