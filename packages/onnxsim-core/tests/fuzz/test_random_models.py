"""Simplifying random models keeps what they compute, their interface, and is done after one run."""

from random import Random

import onnx
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs, random_feeds, random_model
from onnxsim_testkit.random_steps import CONTINUOUS, DISCONTINUOUS, ROUNDING

# Rounding in another place is allowed where no later step turns a last bit into a jump; without rounding steps the
# bound only covers what a fused chain of element-wise operators may round differently.
KINDS = {"smooth": CONTINUOUS + ROUNDING, "jumping": CONTINUOUS + DISCONTINUOUS}


def check(rng, nodes, seed, kind):
    model, sizes = random_model(rng, nodes, steps=KINDS[kind])
    before = model.SerializeToString()

    simplified, ok = simplify(model)

    assert ok
    assert model.SerializeToString() == before
    onnx.checker.check_model(simplified, full_check=True)
    assert interface(simplified) == interface(model)
    assert len(simplified.graph.node) <= len(model.graph.node)
    assert_same_outputs(model, simplified, random_feeds(model, seed, sizes), rtol=1e-4, atol=1e-5)
    again, _ = simplify(simplified)
    assert [node.op_type for node in again.graph.node] == [node.op_type for node in simplified.graph.node]


def interface(model):
    """Names and types of inputs and outputs; sizes the simplifier found out are no change."""
    return [[(v.name, v.type.tensor_type.elem_type, len(v.type.tensor_type.shape.dim)) for v in values]
            for values in (model.graph.input, model.graph.output)]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("kind", KINDS)
def test_some_random_models(seed, kind):
    check(Random(seed), 4 + seed % 30, seed, kind)


# A smaller number of nodes grows the beginning of the same model, so that is what shrinking finds.
@pytest.mark.fuzz
@settings(max_examples=5000, deadline=None, database=None, phases=[Phase.generate, Phase.shrink])
@given(seed=st.integers(0, 2**31), nodes=st.integers(2, 60), kind=st.sampled_from(sorted(KINDS)))
def test_many_random_models(seed, nodes, kind):
    check(Random(seed), nodes, seed, kind)
