import numpy as np
import onnx

from onnxsim_core.ir.read import read_model
from onnxsim_core.report.facts import infer, measure, stored_bytes
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model

TEXT = "g (float[n,3] x) => (float[n,4] y) { k = Constant<value=float {2}>() t = MatMul(x, w) y = Mul(t, k) }"
WEIGHT = {"w": np.arange(12, dtype=np.float32).reshape(3, 4)}


def test_counts_and_costs():
    proto = model(TEXT, initializers=WEIGHT)
    facts = take(proto).facts

    assert facts.op_counts == {"MatMul": 1, "Mul": 1} and facts.nodes == 2
    assert (facts.constants, facts.parameters, facts.initializer_bytes) == (2, 13, 52)
    assert facts.model_bytes == proto.ByteSize()
    assert str(facts.macs.size) == "12*n"
    assert str(facts.memory_footprint.size) == "32*n"  # the product and its multiple; x is done with


def test_json_holds_numbers_and_formulas():
    data = take(model(TEXT, initializers=WEIGHT)).facts.data()

    assert data["macs"] == "12*n" and data["flops"] == "24*n" and data["parameters"] == 13
    assert data["compute_density"] is None


def test_bodies_and_domains_are_counted():
    text = """g (bool c, float[3] x) => (float[3] y) { z = odd.Op(x)
        y = If (c) <then_branch = t () => (float[3] a) { a = Relu(z) },
                    else_branch = e () => (float[3] b) { b = Relu(x) }> }"""

    assert take(model(text, domains={"odd": 1})).facts.op_counts == {"odd.Op": 1, "If": 1, "Relu": 2}


def test_a_tensor_that_two_names_share_is_counted_once():
    made = read_model(model(TEXT, initializers=WEIGHT).SerializeToString())
    infer(made)
    first = next(iter(made.graph.constants))
    made.graph.constant(first.tensor, "again")

    assert measure(made).parameters == 13 and measure(made).constants == 3


def test_external_data_belongs_to_the_model(tmp_path):
    proto = model(TEXT, initializers=WEIGHT)
    onnx.save(proto, tmp_path / "in.onnx")
    onnx.save(proto, tmp_path / "out.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)

    assert stored_bytes(read_model(tmp_path / "in.onnx")) == (tmp_path / "in.onnx").stat().st_size
    assert stored_bytes(read_model(tmp_path / "out.onnx")) == (tmp_path / "out.onnx").stat().st_size + 48


def test_the_size_of_what_is_no_longer_what_was_read_is_given():
    made = read_model(model(TEXT, initializers=WEIGHT).SerializeToString())
    infer(made)

    assert measure(made, 7).model_bytes == 7


def test_measuring_changes_nothing():
    proto = model(TEXT, initializers=WEIGHT)
    before = proto.SerializeToString()
    take(proto, with_outline=True)

    assert proto.SerializeToString() == before


def test_initializers_among_the_inputs_are_known():
    """Models of IR 3 list every weight as an input; sizes made of them are known all the same."""
    proto = model("g (float[2,3] x, int64[2] shape) => (float[3,2] y) { t = Reshape(x, shape) y = MatMul(t, w) }",
                  initializers={"shape": np.array([3, 2]), "w": np.ones((2, 2), np.float32)})
    proto.ir_version = 3

    assert take(proto).facts.macs.size == 12
    assert take(proto, with_outline=True).outline.inputs == ["x"]
