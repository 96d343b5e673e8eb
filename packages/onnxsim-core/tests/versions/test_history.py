"""What the schemas say of every version."""

import pytest
from onnx import TypeProto, defs, helper

from onnxsim_core.ir.graph import Graph, Model, Value
from onnxsim_core.versions import history, steps


def test_versions_of_an_operator():
    assert history.versions("Softmax") == (1, 11, 13)
    assert [history.since("Softmax", opset) for opset in (1, 10, 11, 12, 13, 28)] == [1, 1, 11, 11, 13, 13]
    assert history.since("Gelu", 19) == 0 and history.versions("NoSuchOperator") == ()


def test_operators_that_are_gone():
    assert history.is_gone("Upsample", 10) and not history.is_gone("Upsample", 9)


def test_what_a_version_takes():
    assert history.arity("Clip", 6) == (1, 1, 1) and history.arity("Clip", 11) == (1, 3, 1)
    assert history.attribute_defaults("Softmax", 11)["axis"] == 1
    assert history.attribute_defaults("Softmax", 13)["axis"] == -1
    assert history.attribute_defaults("Conv", 11)["strides"] is None
    assert "tensor(bfloat16)" in history.allowed_types("Relu", 13)[0] - history.allowed_types("Relu", 6)[0]
    assert history.allowed_types("Shape", 1, outputs=True) == (frozenset({"tensor(int64)"}),)
    assert history.allowed_types("Dropout", 1)[0] == {"tensor(float16)", "tensor(float)", "tensor(double)"}
    assert history.allowed_types("MaxUnpool", 9)[1] == {"tensor(int64)"}
    assert history.optional_inputs("Clip", 11) == (False, True, True)


def test_schemas_of_users_are_none_of_onnx():
    schema = defs.OpSchema("HistoryOp", "", 1)
    assert history.is_registered(schema) and not history.is_registered(defs.get_schema("Relu"))


@pytest.mark.parametrize(("proto", "text"), [
    (helper.make_tensor_type_proto(1, None), "tensor(float)"),
    (helper.make_sequence_type_proto(helper.make_tensor_type_proto(7, [2])), "seq(tensor(int64))"),
    (helper.make_optional_type_proto(helper.make_sequence_type_proto(helper.make_tensor_type_proto(9, None))),
     "optional(seq(tensor(bool)))"),
    (TypeProto(), ""),
])
def test_types_as_schemas_write_them(proto, text):
    value = Value("x", Graph(Model(None, None)))
    value.type_proto = proto
    assert history.type_text(value) == text
    assert text == "" or any(text in one.allowed_type_strs for one in defs.get_schema("Identity").type_constraints)


def test_every_change_that_takes_something_away_has_a_step():
    """Without a step a node of the version before is taken for one of the version: nothing it uses may be missing."""
    steps.load()
    for op_type, known in history._schemas().items():
        for before, version in zip(sorted(known), sorted(known)[1:]):
            if (op_type, version) in steps.UP or known[version].deprecated and op_type != "Upsample":
                continue
            old, new = history.attribute_defaults(op_type, before), history.attribute_defaults(op_type, version)
            gone = {name for name in old if name not in new} - {"consumed_inputs"}
            other = {name for name in old if name in new and old[name] != new[name] and old[name] is not None}
            assert not gone, (op_type, version, gone)
            assert not other or op_type in CHANGED_IN_NAME, (op_type, version, other)
            assert history.arity(op_type, version)[1] >= history.arity(op_type, before)[1], (op_type, version)


CHANGED_IN_NAME = {
    "GRU",  # GRU-1 spells its default direction `foward`
    "Clip",  # Clip-6 writes the bounds of floats out
}
