"""What operators of other domains take, held against what runs them."""

from typing import Any

import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime

from onnxsim_core import ops
from onnxsim_core.infer.export import KINDS
from onnxsim_core.ops.registry import SHAPES
from onnxsim_core.ops.signatures import MICROSOFT, SIGNATURES

ops.load()
EVERY = [(domain, name, *signature) for domain, found in SIGNATURES.items() for name, signature in found.items()]


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    """onnxruntime's own schemas of com.microsoft."""
    return {s.name: s for s in onnxruntime.get_all_operator_schema() if s.domain == "com.microsoft"}


def letters(parameters: Any) -> str:
    return "".join(parameter.option.name[0] for parameter in parameters)


@pytest.mark.parametrize("name", MICROSOFT)
def test_an_operator_takes_what_onnxruntime_says(name, schemas):
    inputs, outputs, attributes = MICROSOFT[name]
    schema = schemas[name]
    assert (inputs, outputs) == (letters(schema.inputs), letters(schema.outputs))
    stated = {text.split(":")[0]: KINDS[text.split(":")[1]] for text in attributes.split()}
    assert stated == {key: attribute.type.name for key, attribute in schema.attributes.items()}


@pytest.mark.parametrize("domain", SIGNATURES)
def test_signatures_are_of_the_operators_that_have_a_shape_rule(domain):
    ruled = {name for found, name, _ in SHAPES.registered() if found == domain}
    # onnxruntime's own operator set holds SimplifiedLayerNormalization, in the default domain.
    assert ruled - {"SimplifiedLayerNormalization"} == set(SIGNATURES[domain])


@pytest.mark.parametrize(("domain", "name", "inputs", "outputs", "attributes"), EVERY)
def test_a_signature_is_well_formed(domain, name, inputs, outputs, attributes):
    assert outputs and set(inputs + outputs) <= set("SOV")
    assert "V" not in inputs[:-1] and "V" not in outputs[:-1]  # nothing can follow any number of inputs
    names = [text.split(":")[0] for text in attributes.split()]
    assert len(set(names)) == len(names) and all(text.split(":")[1] in KINDS for text in attributes.split())
