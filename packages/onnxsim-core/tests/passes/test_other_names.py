"""Names without a pass of their own: each says what is done instead, or why nothing is."""

import pytest

from onnxsim_core.passes import catalog, other_names
from onnxsim_core.rewrite.rule import RULES

catalog.load()


@pytest.mark.parametrize("name", other_names.ALIASES)
def test_an_alias_names_passes_that_run(name):
    assert all(catalog.CATALOG[one].default for one in catalog.CATALOG[name].means)


@pytest.mark.parametrize("name", other_names.NOTHING)
def test_nothing_has_a_reason(name):
    one = catalog.CATALOG[name]
    assert one.kind == "none" and one.summary.startswith("nothing: ") and not one.default and name not in RULES


@pytest.mark.parametrize("name", other_names.BACKED)
def test_what_is_borrowed_says_from_whom(name):
    assert catalog.CATALOG[name].kind == "onnxoptimizer" and "onnxoptimizer" in catalog.CATALOG[name].summary


def test_no_recipe_is_named_twice():
    assert len(set(other_names.QUANTIZATION)) == len(other_names.QUANTIZATION)
