"""Random models in functions and in other operator sets, and onnx's own cases of every operator in other operator sets."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from opsets import conversion
from outlining import outlined_model

from onnxsim_core import UnsupportedModelError, simplify
from onnxsim_core.ir.save import model_proto
from onnxsim_core.passes.settle import oldest_ir_version
from onnxsim_testkit import assert_same_outputs, assert_same_value, random_feeds, run
from onnxsim_testkit.backend_suite import node_cases

BLOCKS = [0, *[pytest.param(block, marks=pytest.mark.fuzz) for block in range(1, 20)]]
# Rewriting changes last digits, which a Cast to integers behind it may make whole numbers of.
COMPUTED_ONLY: dict[str, Any] = {"perform_optimization": False}


@pytest.mark.parametrize("block", BLOCKS)
def test_parts_moved_into_functions(block: int) -> None:
    for seed in range(15 * block, 15 * (block + 1)):
        original, outlined, sizes = outlined_model(seed)
        feeds = random_feeds(original, seed, sizes)
        for options in ({}, {"inline_functions": True}):
            result = simplify(outlined, **options, **COMPUTED_ONLY).model
            assert bool(result.functions) <= (not options)
            assert_same_outputs(original, result, feeds, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("block", BLOCKS)
def test_in_another_operator_set(block: int) -> None:
    written = 0
    for seed in range(15 * block, 15 * (block + 1)):
        original, outlined, sizes = outlined_model(seed)
        target = Random(seed).choice([11, 13, 17, 18, 20, 21, 23])
        try:
            result = simplify(outlined, inline_functions=True, target_opset_version=target, **COMPUTED_ONLY).model
        except UnsupportedModelError as error:
            assert error.gaps
            continue
        written += 1
        assert_same_outputs(original, result, random_feeds(original, seed, sizes), rtol=1e-4, atol=1e-5)
    assert written > 8


# onnxruntime's kernel leaves the causal mask out of this output; the definition in the schema does not.
KERNEL_DIFFERS = "with_past_and_present_qk_matmul_bias"


@pytest.mark.fuzz
@pytest.mark.parametrize("target", [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24])
def test_cases_of_onnx(target: int) -> None:
    """What can be written for the target, and what onnxruntime runs there, computes the same."""
    from onnxruntime.capi import onnxruntime_pybind11_state as refusals

    compared = 0
    for case in node_cases():
        source = next((entry.version for entry in case.model.opset_import if entry.domain in ("", "ai.onnx")), target)
        if source == target or KERNEL_DIFFERS in case.name:
            continue
        done = conversion(case.model, source, target)
        if done.gaps:
            continue
        result = model_proto(done.model)
        result.ir_version = max(result.ir_version, oldest_ir_version(target))
        try:
            expected = run(case.model, case.data_sets[0][0])
            actual = run(result, case.data_sets[0][0])
        except (refusals.NotImplemented, refusals.InvalidGraph, refusals.Fail, refusals.RuntimeException):
            continue  # neither the old nor the new version need have a kernel
        compared += 1
        for name, value in expected.items():
            assert_same_value(actual[name], value, rtol=max(case.rtol, 1e-4), atol=max(case.atol, 1e-6), where=case.name)
    assert compared > 400


def test_the_models_have_functions_with_parameters() -> None:
    functions = [function for seed in range(30) for function in outlined_model(seed)[1].functions]

    assert len(functions) > 30 and any(function.attribute for function in functions)
    assert any(node.domain for function in functions for node in function.node)
    assert np.mean([len(function.node) for function in functions]) > 2
