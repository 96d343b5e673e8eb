"""The tables of steps."""

import pytest
from installed import NEWEST, OPSET

from onnxsim_core.errors import OnnxsimError
from onnxsim_core.versions import history, steps


def test_every_step_is_at_a_version_of_its_operator():
    steps.load()
    for table in (steps.UP, steps.DOWN):
        for op_type, version in table:
            assert version in history.versions(op_type) or OPSET < version <= NEWEST, (op_type, version)


def test_two_steps_at_one_place_are_a_mistake():
    steps.load()
    with pytest.raises(OnnxsimError, match="the step of Clip at version 11 is registered twice"):
        steps.up("Clip", at=11)(lambda node, op: None)
    with pytest.raises(OnnxsimError, match="the step of Clip at version 11 is registered twice"):
        steps.down("Clip", at=11)(lambda node, op: None)
