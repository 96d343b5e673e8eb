"""onnx's own checker and inference know the operators that were exported to it."""

from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from onnx import defs

from onnxsim_core import ops
from onnxsim_core.infer import export, registered
from onnxsim_core.infer.export import export_onnx_schemas, schema_of
from onnxsim_core.ops.signatures import SIGNATURES
from onnxsim_testkit import model

ops.load()
TOTAL = sum(len(found) for found in SIGNATURES.values())
EVERY = [(domain, op) for domain, found in SIGNATURES.items() for op in found]


@pytest.fixture
def exported(monkeypatch) -> Iterator[set[registered.Key]]:
    """Exports, and takes it all back; gives the keys that were noted."""
    noted: set[registered.Key] = set()
    monkeypatch.setattr(export, "KNOWN", noted)
    before = {(domain, op) for domain, op in EVERY if defs.has(op, domain)}
    assert export_onnx_schemas() == TOTAL - len(before)
    yield noted
    for domain, op in set(EVERY) - before:
        defs.deregister_schema(op, 1, domain)


def shapes(text: str, domain: str, **initializers: np.ndarray) -> dict[str, tuple[int, list[int | str]]]:
    """What onnx infers in strict mode, after its checker let the model pass."""
    proto = model(text, domains={domain: 1, "acme": 1}, initializers=initializers)
    for node in proto.graph.node:
        node.input[:] = ["" if name == "omitted" else name for name in node.input]
    onnx.checker.check_model(proto)
    found = onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True).graph
    return {v.name: (v.type.tensor_type.elem_type,
                     [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim])
            for v in (*found.value_info, *found.output) if v.type.tensor_type.HasField("shape")}


def test_each_operator_is_registered_once(exported):
    assert len(exported) == TOTAL and all(defs.has(op, domain) for domain, op in EVERY)
    assert export_onnx_schemas() == 0


def test_a_schema_that_onnx_has_already_stays(monkeypatch):
    monkeypatch.setattr(export, "KNOWN", set())
    monkeypatch.setattr(export, "SIGNATURES", {"": {"Relu": ("S", "S", "")}})
    assert export_onnx_schemas() == 0 and not export.KNOWN
    assert not registered.is_registered(defs.get_schema("Relu"))


def test_onnx_infers_through_operators_of_other_domains(exported):
    text = """g (float[n,8] x, float[8] b) => () {
        y = com.microsoft.BiasGelu(x, b) t = com.microsoft.FastGelu(y) z = Transpose(t) }"""
    found = shapes(text, "com.microsoft")
    assert found["y"] == found["t"] == (1, ["n", 8]) and found["z"] == (1, [8, "n"])


def test_attributes_and_omitted_inputs_reach_the_rule(exported):
    text = """g (float[2,3,4] a, float[2,5,4] b) => () {
        y = com.microsoft.FusedMatMul<transB = 1>(a, b)
        q = com.microsoft.QuantizeLinear(a, s, omitted) }"""
    found = shapes(text, "com.microsoft", s=np.float32(0.1))
    assert found["y"] == (1, [2, 3, 5]) and found["q"] == (2, [2, 3, 4])  # uint8 without a zero point


def test_what_the_rule_cannot_tell_is_left_open(exported):
    """A dtype alone: sizes that depend on an operator nobody knows."""
    text = "g (float[2,3] a, float b) => () { u = acme.Op(b) y = com.microsoft.FusedMatMul(a, u) z = Neg(a) }"
    assert shapes(text, "com.microsoft") == {"z": (1, [2, 3])}


def test_a_node_that_does_not_fit_is_refused(exported):
    proto = model("g (float[2] x) => () { y = com.microsoft.BiasGelu(x) }", domains={"com.microsoft": 1})
    with pytest.raises(onnx.checker.ValidationError, match="input"):
        onnx.checker.check_model(proto)


def test_parameters_are_of_the_kinds_that_the_signature_names():
    schema = schema_of("test.export", "Op", ("SOV", "SO", "a:i b:F c:s d:t"))
    options = defs.OpSchema.FormalParameterOption
    assert [p.option for p in schema.inputs] == [options.Single, options.Optional, options.Variadic]
    assert [p.option for p in schema.outputs] == [options.Single, options.Optional]
    kinds = {name: attribute.type.name for name, attribute in schema.attributes.items()}
    assert kinds == {"a": "INT", "b": "FLOATS", "c": "STRING", "d": "TENSOR"}
    assert not any(attribute.required for attribute in schema.attributes.values())
