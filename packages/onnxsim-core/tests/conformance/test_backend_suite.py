"""A slice of onnx's own test suite; `nox -s conformance` runs all of it."""

import warnings

from onnxsim_core import simplify
from onnxsim_testkit.backend_suite import backend_cases
from onnxsim_testkit.conformance import judge_case


def simplified(model, **options):
    return simplify(model, **options).model


def judged(cases):
    """Faults by case and variant, and how many cases had a judge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [judge_case(case, simplified) for case in cases]
    faults = {outcome.name: outcome.faults for outcome in outcomes if outcome.faults}
    return faults, sum(bool(outcome.judge) for outcome in outcomes)


def test_every_twentieth_node_case():
    faults, number = judged([case for i, case in enumerate(backend_cases("node")) if i % 20 == 0])

    assert faults == {}
    assert number > 80


def test_stored_models():
    faults, number = judged([case for i, case in enumerate(backend_cases("simple", "pytorch-operator")) if i % 2 == 0])

    assert faults == {}
    assert number > 20
