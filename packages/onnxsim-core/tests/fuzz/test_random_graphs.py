"""A slice of the random models that are run while they grow; `nox -s fuzz` examines many more."""

import warnings

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from onnxsim_core import simplify
from onnxsim_testkit.fuzzing import FAMILIES, Reject, examine, random_graph


def simplified(model, **options):
    return simplify(model, **options).model


def fault(seed, families=()):
    """What does not hold of the model of a seed, or nothing; None where nothing came of the seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case = random_graph(seed, families=families)
        except Reject:
            return None
        return examine(case, simplified, seed)[1]


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"soup"}))
def test_some_random_graphs(family):
    found = {seed: fault(seed, (family,)) for seed in range(12)}

    assert {seed: text for seed, text in found.items() if text} == {}
    assert sum(text is not None for text in found.values()) > 6


def test_some_random_graphs_of_several_families():
    found = {seed: fault(seed) for seed in range(500, 540)}

    assert {seed: text for seed, text in found.items() if text} == {}
    assert sum(text is not None for text in found.values()) > 30


@pytest.mark.fuzz
@settings(max_examples=3000, deadline=None, database=None, phases=[Phase.generate])
@given(seed=st.integers(0, 2**31), family=st.sampled_from(sorted(FAMILIES)))
def test_many_random_graphs(seed, family):
    assert not fault(seed, (family,)), f"python -m fuzzing show {seed} --families {family}"
