"""Self-healing: a faulty rule is found, left out and named; nothing is written before the verdict."""

import os
import warnings

import numpy as np
import onnx
import pytest
from rewriting import withdraw

from onnxsim_core import CheckError, simplify
from onnxsim_core.passes import catalog
from onnxsim_core.rewrite.rule import rewrites, skip
from onnxsim_testkit import assert_same_outputs, model, random_feeds

PROTO = model("""g (float[n,4] x) => (float[n,4] z, float[n,4] v) {
    i = Identity(x) s = Shape(i) r = Relu(i) t = Reshape(r, s) e = Exp(t) z = Add(e, zero) u = Tanh(i) v = Identity(u) }""",
              initializers={"zero": np.array(0, np.float32)})
FEEDS = random_feeds(PROTO, seed=3, dims={"n": 2})


@pytest.fixture
def inject():
    """Adds a pass with a faulty rule, on by default; gone after the test."""
    made = []

    def add(name, root, wrong, **options):
        catalog.load()
        catalog.declare(name, "wrong on purpose", **options)
        rewrites(name, root=root)(wrong)
        made.append(name)

    yield add
    for name in made:
        withdraw(name)



def once(function):
    """A rule that fires once per run: what it builds has the operator it starts from."""
    def rule(node, op):
        return skip("done") if node.name.startswith("wrong") else function(node, op)

    rule.__name__ = function.__name__
    return rule


def negated(node, op):
    return op.node("Exp", [op.Neg(node.input(0))], name="wrong_exp")[0]


def unloadable(node, op):
    return op.node("Tanh", [node.input(0)], name="wrong_tanh", bogus=1)[0]


def off_by_half(node, op):
    made = op.node("Tanh", [node.input(0)], name="wrong_tanh")[0]
    return op.Add(made, op.constant(np.array(0.5, np.float32)))


def test_a_faulty_pass_is_left_out_and_named(inject):
    inject("faulty_tanh", "Tanh", once(off_by_half))
    with pytest.warns(RuntimeWarning, match="pass faulty_tanh changed output 'v' by 0.5; skipped"):
        result = simplify(PROTO, 2)

    assert result.ok and result.check.ok
    assert_same_outputs(PROTO, result.model, FEEDS, rtol=0, atol=0)
    assert result.report.warnings == ["pass faulty_tanh changed output 'v' by 0.5; skipped"]
    assert result.report.blamed == {"faulty_tanh": "changed output 'v' by 0.5"}
    assert "faulty_tanh" not in result.report.fired
    assert [n.op_type for n in result.model.graph.node] == ["Relu", "Exp", "Tanh"], "the other passes still work"


def test_without_a_comparison_nobody_notices(inject):
    """The fault is one: the test above would otherwise prove nothing."""
    inject("faulty_tanh", "Tanh", once(off_by_half))
    result = simplify(PROTO)

    assert result.report.fired["faulty_tanh"] == 1
    with pytest.raises(AssertionError):
        assert_same_outputs(PROTO, result.model, FEEDS, rtol=1e-3, atol=1e-3)


def test_two_faulty_passes_are_both_found(inject):
    inject("faulty_tanh", "Tanh", once(off_by_half))
    inject("faulty_exp", "Exp", once(negated))
    with pytest.warns(RuntimeWarning):
        result = simplify(PROTO, 1)

    assert result.ok and set(result.report.blamed) == {"faulty_tanh", "faulty_exp"}
    assert_same_outputs(PROTO, result.model, FEEDS, rtol=0, atol=0)


@pytest.mark.runtime
def test_a_model_that_does_not_even_run_is_healed(inject):
    inject("faulty_tanh", "Tanh", once(unloadable))
    with pytest.warns(RuntimeWarning, match="faulty_tanh made a model that does not run .*bogus"):
        result = simplify(PROTO, 1)

    assert result.ok and [n.op_type for n in result.model.graph.node] == ["Relu", "Exp", "Tanh"]


def test_strict_makes_it_an_error(inject, tmp_path):
    inject("faulty_tanh", "Tanh", once(off_by_half))
    with pytest.raises(CheckError, match="pass faulty_tanh changed output 'v' by 0.5"):
        simplify(PROTO, 1, strict=True, output_path=tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_strict_changes_nothing_where_all_is_right():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert simplify(PROTO, 1, strict=True).ok


def test_nothing_is_written_before_the_verdict(inject, tmp_path, monkeypatch):
    inject("faulty_tanh", "Tanh", once(off_by_half))
    target = tmp_path / "m.onnx"
    target.write_bytes(b"previous")
    seen = []
    from onnxsim_core.check import Reference

    compare = Reference.compare

    def watched(self, path, **options):
        seen.append(target.read_bytes())
        return compare(self, path, **options)

    monkeypatch.setattr(Reference, "compare", watched)
    with pytest.warns(RuntimeWarning):
        result = simplify(PROTO, 1, output_path=target)

    assert len(seen) >= 3 and set(seen) == {b"previous"}
    assert result.path == str(target) and os.listdir(tmp_path) == ["m.onnx"]
    assert_same_outputs(PROTO, onnx.load(target), FEEDS, rtol=0, atol=0)


def test_the_original_runs_once_however_many_trials_there_are(inject, monkeypatch):
    inject("faulty_tanh", "Tanh", once(off_by_half))
    from onnxsim_core.check import equality

    calls = []
    reference = equality._reference
    monkeypatch.setattr(equality, "_reference", lambda *args: calls.append(1) or reference(*args))
    with pytest.warns(RuntimeWarning):
        simplify(PROTO, 1)

    assert len(calls) == 1


def test_trials_are_few(inject, monkeypatch):
    """Bisection: about the logarithm of the number of passes that did something."""
    inject("faulty_tanh", "Tanh", once(off_by_half))
    from onnxsim_core.check import Reference

    runs = []
    compare = Reference.compare
    monkeypatch.setattr(Reference, "compare",
                        lambda self, path, **options: runs.append(path) or compare(self, path, **options))
    with pytest.warns(RuntimeWarning):
        fired = len(simplify(PROTO, 1).report.fired)

    assert fired >= 3 and len(runs) <= 3 + (fired + 2).bit_length()


def test_a_pass_that_is_only_wrong_with_another_is_found(inject):
    """The second one builds on what the first one made; alone it never fires."""
    def marks(node, op):
        return skip("done") if node.name else op.node("Tanh", [node.input(0)], name="marked")[0]

    def breaks(node, op):
        if node.name != "marked":
            return skip("not marked")
        return op.Neg(op.node("Tanh", [node.input(0)], name="wrong")[0])

    inject("harmless", "Tanh", marks)
    inject("faulty_after", "Tanh", breaks)
    with pytest.warns(RuntimeWarning, match="pass faulty_after changed output 'v'"):
        assert simplify(PROTO, 1).ok


def test_an_original_that_is_random_is_no_pass_s_fault():
    proto = model("g (float[4] x) => (float[4] z) { r = RandomUniformLike(x) i = Identity(r) z = Add(i, x) }")
    result = simplify(proto, 1)

    if not result.ok:
        assert "the original gives other outputs each time it runs" in result.report.warnings[0]


def test_a_difference_that_was_asked_for_is_reported_and_stays(tmp_path):
    def rewriter(proto):
        changed = False
        for node in proto.graph.node:
            if node.op_type == "Tanh":
                node.op_type, changed = "Sin", True
        return None if changed else False

    result = simplify(PROTO, 1, custom_rewriter=rewriter, output_path=tmp_path / "m.onnx")

    assert not result.ok and result.path is None and "no pass is the cause" in result.report.warnings[0]
    with pytest.raises(CheckError, match="'v' differs.*no pass is the cause"):
        simplify(PROTO, 1, custom_rewriter=rewriter, strict=True)
