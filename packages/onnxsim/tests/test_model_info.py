import numpy as np
import onnx

from onnxsim.model_info import (
    ModelInfo,
    annotate_metadata,
    diff_graphs,
    print_graph_diff,
    print_simplifying_info,
)
from onnxsim_testkit import model

TEXT = "g (float[2,3] x) => (float[2,4] y) { t = MatMul(x, w) y = Relu(t) }"
WEIGHT = {"w": np.arange(12, dtype=np.float32).reshape(3, 4)}
PRODUCT = model(TEXT, initializers=WEIGHT)
DYNAMIC = model(TEXT.replace("[2,", "[n,"), initializers=WEIGHT)


def test_counts_and_costs_of_a_product():
    info = ModelInfo(PRODUCT)

    assert info.op_nums == {"MatMul": 1, "Relu": 1, "Constant": 1}
    assert info.initializer_count == 1
    assert info.macs == 2 * 3 * 4
    assert info.flops == 2 * info.macs
    assert info.model_size == PRODUCT.ByteSize()


def test_a_named_size_gives_a_formula():
    assert ModelInfo(DYNAMIC).macs == "12*n"


def test_the_table_names_operators_and_totals(capsys):
    print_simplifying_info(PRODUCT, PRODUCT)

    printed = capsys.readouterr().out
    assert all(label in printed for label in ("Original Model", "Simplified Model", "MatMul", "Relu", "Model Size"))


def test_a_diff_names_nodes_and_values(capsys):
    other = model(TEXT.replace("Relu(t)", "Neg(u) u = Relu(t)"), initializers=WEIGHT)
    found = diff_graphs(PRODUCT, other)

    assert [(old.op, new.op) for old, new in found.changed_nodes] == [("Relu", "Neg")]
    assert [node.op for node in found.added_nodes] == ["Relu"]
    assert found.added_values == ["u"] and not found.removed_nodes and not found.removed_values
    assert diff_graphs(PRODUCT, PRODUCT).is_empty

    print_graph_diff(PRODUCT, other)
    printed = capsys.readouterr().out
    assert "Nodes added (1):" in printed and "+ u" in printed


def test_metadata_is_written_to_a_copy_and_replaced_there():
    before = PRODUCT.SerializeToString()
    once = annotate_metadata(PRODUCT, prefix="p.")
    twice = annotate_metadata(once, prefix="p.")

    assert PRODUCT.SerializeToString() == before
    found = {entry.key: entry.value for entry in once.metadata_props}
    assert found["p.macs"] == "24" and found["p.flops"] == "48"
    assert found["p.model_size"] == str(PRODUCT.ByteSize())
    assert [entry.key for entry in twice.metadata_props] == [entry.key for entry in once.metadata_props]
    onnx.checker.check_model(once)
