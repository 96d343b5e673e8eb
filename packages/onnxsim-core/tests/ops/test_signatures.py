"""Signatures of operators of other domains."""

from onnxsim_core import ops
from onnxsim_core.infer.export import KINDS
from onnxsim_core.ops.registry import SHAPES
from onnxsim_core.ops.signatures import SIGNATURES


def test_every_operator_with_a_signature_has_a_rule():
    ops.load()
    known = {(domain, op_type) for domain, op_type, _ in SHAPES.registered()}

    assert {(domain, op_type) for domain, operators in SIGNATURES.items() for op_type in operators} <= known


def test_they_are_well_formed():
    for operators in SIGNATURES.values():
        for inputs, outputs, attributes in operators.values():
            assert set(inputs + outputs) <= set("SOV") and outputs
            assert "V" not in inputs[:-1] and "V" not in outputs[:-1]
            pairs = [text.split(":") for text in attributes.split()]
            assert all(len(pair) == 2 and pair[1] in KINDS for pair in pairs)
            assert len({name for name, _ in pairs}) == len(pairs)
