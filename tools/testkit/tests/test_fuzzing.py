from collections import Counter
from random import Random

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from onnxsim_testkit import model, run
from onnxsim_testkit.fuzzing import FAMILIES, Mismatch, RandomModel, Reject, check, examine, random_graph, reduced
from onnxsim_testkit.fuzzing.checking import difference, outline, renamed, with_special_numbers
from onnxsim_testkit.fuzzing.growing import Grower, goes_beyond, reads_and_makes
from onnxsim_testkit.fuzzing.models import RARE_TYPES

ONES = np.ones((2, 3), np.float32)


def case(text, exact=True, **feeds):
    return RandomModel(model(text, opset=17), [feeds], exact)


def unchanged(proto, **options):
    return proto


def without_neg(proto, **options):
    """A simplifier that takes every Neg for an Identity."""
    broken = onnx.ModelProto()
    broken.CopyFrom(proto)
    for node in broken.graph.node:
        if node.op_type == "Neg":
            node.op_type = "Identity"
    return broken


def grown(seeds, families=()):
    for seed in seeds:
        try:
            yield random_graph(seed, families=families)
        except Reject:
            continue


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_grows_models_that_run(family):
    found = list(grown(range(12), (family,)))

    assert len(found) > 4
    for random in found:
        assert random.run(random.model, random.feeds[0])


def test_a_seed_always_gives_the_same_model():
    once, again = (list(grown(range(8))) for _ in range(2))

    assert [m.model.SerializeToString() for m in once] == [m.model.SerializeToString() for m in again]


def test_models_have_bodies_functions_and_many_operators():
    kinds = Counter(node.op_type for random in grown(range(120)) for node in random.model.graph.node)

    assert len(kinds) > 60
    assert kinds["If"] and kinds["Loop"]
    assert any(random.model.functions for random in grown(range(60)))


def test_models_have_what_files_hold_besides_nodes():
    found = list(grown(range(150)))
    versions = {entry.version for random in found for entry in random.model.opset_import if not entry.domain}
    kinds = {info.type.tensor_type.elem_type for random in found for info in random.model.graph.input}

    assert any(random.model.graph.sparse_initializer for random in found)
    assert {7, 8, 25} <= versions
    assert len(kinds & set(RARE_TYPES)) > 4 and TensorProto.STRING in kinds


def test_custom_operators_are_run_though_the_model_does_not_say_what_they_compute():
    found = [random for random in grown(range(60)) if random.definitions]

    assert len(found) > 4
    for random in found:
        called = [node for node in random.model.graph.node if node.domain == "com.example"]
        assert called or any(node.domain == "com.example" for f in random.model.functions for node in f.node)
        assert not any(function.domain == "com.example" for function in random.model.functions)
        assert random.run(random.model, random.feeds[0])


def test_what_onnxruntime_has_no_kernels_for_is_run_by_the_reference():
    x = np.array([1 + 2j, -3j], np.complex64)
    text = "g (complex64[2] x) => (complex64[2,1] y, complex64[1,2] z) { y = Reshape(x, s) z = Transpose(y) }"
    proto = model(text, opset=17, initializers={"s": np.array([2, 1])})
    random = RandomModel(proto, [{"x": x}], True, reference=True)

    assert check(random, unchanged) is proto
    assert random.run(proto, {"x": x})["z"].tolist() == [[1 + 2j, -3j]]


def test_what_onnxruntime_refuses_is_taken_back():
    g = Grower(Random(0), 17)
    g.arrays["x"] = ONES

    assert not g.attempt(lambda h: h.one("MatMul", ["x", "x"]))
    assert g.nodes == [] and g.refused == 1
    assert g.attempt(lambda h: h.one("Neg", ["x"]))
    assert [v.shape for v in g.values] == [(2, 3)]


def test_what_an_exact_model_computes_stays_exact():
    g = Grower(Random(0), 17, exact=True)
    g.arrays["x"] = ONES

    assert not g.attempt(lambda h: h.one("Sigmoid", ["x"]))


def test_a_wrong_result_is_found():
    random = case("g (float[2,3] x) => (float[2,3] y) { a = Neg(x) y = Relu(a) }", x=-ONES)

    assert check(random, unchanged) is random.model
    with pytest.raises(Mismatch, match="output y"):
        check(random, without_neg)
    assert examine(random, without_neg, 0)[1].startswith("plainly: Mismatch")


def test_a_change_of_the_callers_model_is_found():
    def spoil(proto, **options):
        proto.graph.name = "spoilt"
        return proto

    with pytest.raises(Mismatch, match="changed"):
        check(case("g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }", x=ONES), spoil)


def test_rounding_is_allowed_as_far_as_inputs_round():
    expected = np.float32([1, 1000])

    assert difference(np.float32([1, 1000.01]), expected, exact=True)
    assert not difference(np.float32([1, 1000.01]), expected, exact=False)
    assert difference(np.float32([2000, 1000]), expected, exact=False)
    assert not difference(np.float32([2000, 1000]), expected, exact=False, spread=np.array([100, 0]))
    assert difference(expected + 2j, expected + 1j, exact=True) and not difference(expected + 1j, expected + 1j, exact=True)
    assert "shape" in difference(expected[:1], expected, exact=False)
    assert "type" in difference(expected.astype(np.float64), expected, exact=False)


def test_a_failing_model_is_reduced_to_what_fails():
    text = """g (float[2,3] x) => (float[2,3] y, float[2,3] z) {
        a = Relu(x) b = Neg(a) c = Add(b, x) d = Abs(c) y = Mul(d, d) z = Sigmoid(x) }"""
    random = case(text, exact=False, x=ONES * 3)

    def fails(smaller):
        try:
            check(smaller, without_neg)
        except Mismatch:
            return True
        return False

    smallest = reduced(random, fails)

    assert [node.op_type for node in smallest.model.graph.node].count("Neg") == 1
    assert len(smallest.model.graph.node) <= 2
    assert reduced(random, fails, seconds=0) is random


def test_renaming_keeps_the_interface_and_the_outputs():
    random = case("g (float[2,3] x) => (float[2,3] y) { a = Neg(x) y = Relu(a) }", x=-ONES)

    other = renamed(random.model, 3)

    assert outline(other) == outline(random.model)
    assert other.graph.node[0].output[0] != "a"
    assert run(other, random.feeds[0])["y"].tolist() == ONES.tolist()


def test_special_numbers_are_put_among_the_others():
    special = with_special_numbers(case("g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }", x=ONES), 1)

    assert not np.array_equal(special.feeds[0]["x"], ONES)
    assert with_special_numbers(case("g (int64[2] x) => (int64[2] y) { y = Neg(x) }", x=np.ones(2, np.int64)), 1) is None


def test_what_bodies_read_from_around_is_read():
    text = """g (float[2] x, bool c) => (float[2] y) { k = Neg(x)
        y = If(c) <then_branch = t () => (float[2] a) { a = Abs(k) }, else_branch = e () => (float[2] b) { b = Neg(x) }> }"""
    reads, made = reads_and_makes(model(text).graph.node)

    assert reads - made == {"x", "c"}


@pytest.mark.parametrize(
    ("op_type", "shapes", "attributes", "beyond"),
    [
        ("Range", [(), (), ()], {}, False),
        ("Range", [(), (), (1,)], {}, True),
        ("MaxPool", [(1, 1, 2, 1)], {"kernel_shape": [2, 1]}, False),
        ("AveragePool", [(1, 1, 2, 1)], {"kernel_shape": [2, 2]}, True),
        ("AveragePool", [(1, 1, 2, 1)], {"kernel_shape": [2, 2], "pads": [0, 1, 0, 0]}, False),
        ("AveragePool", [(1, 1, 2, 1)], {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"}, False),
        ("LpPool", [(1, 1, 2)], {"kernel_shape": [2], "dilations": [2]}, True),
        ("ReduceProd", [()], {"axes": [1]}, True),
        ("ReduceSum", [(), (1,)], {}, True),
        ("ReduceSum", [(2, 2), (1,)], {}, False),
        ("ReduceSum", [()], {}, False),
        ("PRelu", [(2, 3), (3,)], {}, False),
        ("PRelu", [(1, 3), (2, 1)], {}, True),
        ("CenterCropPad", [(1, 2), (2,)], {}, False),
        ("CenterCropPad", [(1, 2), (1,)], {}, True),
        ("CenterCropPad", [(1, 2), ()], {}, True),
        ("CenterCropPad", [(1, 2), (1,)], {"axes": [-1]}, False),
        ("Concat", [(0, 2, 3), (0, 2, 1)], {"axis": -1}, True),  # at other sizes they may not agree
        ("Concat", [(2, 0), (2, 3)], {"axis": 1}, False),
        ("Concat", [(4, 0), (2, 3)], {"axis": -1}, True),
        ("Concat", [(0, 2)], {"axis": 1}, False),
        ("Concat", [(2,), (0,)], {"axis": 0}, False),
    ],
)
def test_what_onnxruntime_takes_beyond_the_standard_is_told(op_type, shapes, attributes, beyond):
    names = [f"x{index}" for index in range(len(shapes))]
    values = {name: np.ones(shape, np.float32) for name, shape in zip(names, shapes)}
    if op_type == "PRelu":
        values["y"] = values["x0"] * values["x1"]
    node = onnx.helper.make_node(op_type, names, ["y"], **attributes)

    assert goes_beyond(node, values) == beyond


def test_a_power_of_what_a_double_does_not_hold_is_beyond_the_standard():
    node = onnx.helper.make_node("Pow", ["x", "e"], ["y"])

    assert goes_beyond(node, {"x": np.array([1, 2**63 - 1]), "e": np.array(1)})
    assert not goes_beyond(node, {"x": np.array([1, -(2**53)]), "e": np.array(1)})
    assert not goes_beyond(node, {"x": np.array([1e30]), "e": np.array(1)})


@pytest.mark.parametrize("op_type", ["BlackmanWindow", "HammingWindow", "HannWindow"])
def test_a_window_of_no_size_is_beyond_the_standard(op_type):
    node = onnx.helper.make_node(op_type, ["n"], ["y"])

    assert goes_beyond(node, {"n": np.array(0)})
    assert not goes_beyond(node, {"n": np.array(1)})
