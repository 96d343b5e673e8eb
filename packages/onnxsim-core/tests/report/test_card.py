import numpy as np

from onnxsim_core.ir.read import read_model
from onnxsim_core.report.card import card, card_table, differences, merged
from onnxsim_core.report.facts import infer
from onnxsim_testkit import model


def made(text, path="m.onnx", **options):
    proto = model(text, **options)
    proto.producer_name, proto.producer_version = "maker", "1.2"
    ir = read_model(proto.SerializeToString())
    infer(ir)
    return card(path, ir)


TEXT = "g (float[2,3] x, int64[n] i) => (float[2,4] y) { t = MatMul(x, w) y = Relu(t) }"
WEIGHT = {"w": np.ones((3, 4), np.float32)}


def test_everything_of_one_model():
    data = made(TEXT, initializers=WEIGHT, domains={"odd": 2}).data()

    assert data["producer"] == "maker 1.2" and data["opset_import"] == {"ai.onnx": 21, "odd": 2}
    assert data["inputs"] == {"x": "float32[2, 3]", "i": "int64[n]"} and data["outputs"] == {"y": "float32[2, 4]"}
    assert data["weight_bytes_by_type"] == {"float32": 48} and data["macs"] == 24
    assert data["memory_plan"] == {"arena_bytes": 128, "naive_bytes": 24 + 32 + 32, "planned": 3, "unplanned": 1}


def test_one_column_for_one_model():
    table = card_table([made(TEXT, initializers=WEIGHT)])
    rows = {row.label: row.cells for group in table.groups for row in group}

    assert table.header == ("", "m.onnx")
    assert rows["MatMul"] == ("1",) and rows["Memory Plan"] == ("128B for 3 tensors, 1 of unknown size",)


def test_of_two_models_the_differences_are_marked():
    one, other = made(TEXT, initializers=WEIGHT), made(TEXT.replace("Relu", "Exp"), "o.onnx", initializers=WEIGHT)

    assert {"Relu", "Exp"} <= set(differences([one, other]))
    assert not {"MatMul", "Input x", "MACs", "All nodes"} & set(differences([one, other]))
    assert differences([one]) == [] == differences([one, one])


def test_models_of_one_name_are_told_apart_by_their_paths():
    one, other = made(TEXT, "a/m.onnx", initializers=WEIGHT), made(TEXT, "b/m.onnx", initializers=WEIGHT)

    assert card_table([one, other]).header == ("", "a/m.onnx", "b/m.onnx", "")


def test_merging_keeps_both_orders():
    assert merged([["a", "c", "d"], ["a", "b", "c", "e"]]) == ["a", "b", "c", "e", "d"]
