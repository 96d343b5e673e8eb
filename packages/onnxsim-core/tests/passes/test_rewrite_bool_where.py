"""rewrite_bool_where: onnxruntime has no Where of booleans, so onnx's evaluator judges."""

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator
from rewriting import apply, assert_skips, outline

from onnxsim_core.passes.rewrite_bool_where import logic
from onnxsim_testkit import model

C = np.array([[True, False, True], [False, False, True]])
X = np.array([[True, True, False], [False, True, False]])


@pytest.mark.parametrize(
    ("branches", "after"),
    [
        ("t, f", "z = Identity(c)"),
        ("f, t", "z = Not(c)"),
        ("x, f", "z = And(c, x)"),
        ("t, x", "z = Or(c, x)"),
    ],
)
def test_where_is_logic(branches, after):
    text = "g (bool[2,3] c, bool[2,3] x) => (bool[2,3] z) <bool t={1}, bool[1,1] f={0}> {"
    proto = (
        model(f"{text} z = Where(c, {branches}) }}")
        if "Identity" not in after
        else model(f"{text} y = Where(c, {branches}) z = Not(y) }}")
    )
    result, driver = apply(logic, proto)
    assert driver.changes
    wanted = model(f"{text} {after} }}") if "Identity" not in after else model(f"{text} z = Not(c) }}")
    assert outline(result) == outline(wanted)
    feeds = {"c": C, "x": X}
    for ours, theirs in zip(ReferenceEvaluator(result).run(None, feeds), ReferenceEvaluator(proto).run(None, feeds)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            "g (bool[3] c, float[3] x, float[3] y) => (float[3] z) { z = Where(c, x, y) }",
            "the branches are not boolean",
        ),
        (
            "g (bool[3] c) => (bool[2,3] z) <bool[2,1] t={1,1}, bool f={0}> { z = Where(c, t, f) }",
            "a constant widens the result",
        ),
        (
            "g (bool[3] c, bool[3] x) => (bool[2,3] z) <bool[2,1] t={1,1}> { z = Where(c, t, x) }",
            "a constant widens the result",
        ),
        (
            "g (bool[3] c, bool[3] x, bool[3] y) => (bool[3] z) { z = Where(c, x, y) }",
            "no branch is a boolean constant",
        ),
        (
            "g (bool[3] c, bool[3] x) => (bool[3] z) <bool t={1}> { z = Where(c, x, t) }",
            "no branch is a boolean constant",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(logic, before, reason)
