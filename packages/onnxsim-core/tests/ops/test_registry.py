"""Which rule is in force under which opset imports."""

import pytest

from onnxsim_core.ops.registry import Registry


@pytest.fixture
def registry() -> Registry:
    made = Registry("rule")
    made.register("Relu", "Neg")("relu-1")
    made.register("Relu", since=14)("relu-14")
    made.register("Gelu", since=20)("gelu-20")
    made.register("Relu", domain="acme", since=2)("acme-2")
    return made


def test_the_newest_rule_that_the_opset_reaches_is_in_force(registry):
    assert [registry.table({"": opset})["Relu"] for opset in (1, 13, 14, 99)] == ["relu-1", "relu-1", "relu-14", "relu-14"]
    table = registry.table({"": 19, "acme": 3})
    assert table["Gelu"] is None and table["NoSuch"] is None and table["other", "Relu"] is None
    assert table.known() == {"Relu": "relu-14", "Neg": "relu-1", ("acme", "Relu"): "acme-2"}
    assert registry.table({"": 19})["acme", "Relu"] is None
    assert registry.table({"acme": 3, "": 19}) is table


def test_a_rule_registered_later_is_found(registry):
    assert registry.table({"": 14})["Abs"] is None
    registry.register("Abs")("abs-1")
    assert registry.table({"": 14})["Abs"] == "abs-1"


def test_a_copy_is_added_to_alone(registry):
    table = registry.table({"": 14})
    other = table.copy()
    other["Relu"] = "mine"
    assert other["Relu"] == "mine" and other["Neg"] == "relu-1" and table["Relu"] == "relu-14"


def test_an_operator_is_registered_once_per_version(registry):
    with pytest.raises(ValueError, match=r"rule of ai\.onnx\.Relu-14 is registered twice"):
        registry.register("Relu", since=14)("again")
