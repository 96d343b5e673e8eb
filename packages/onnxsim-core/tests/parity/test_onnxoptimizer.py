"""What onnxoptimizer's passes remove, simplify removes too; run by the parity session, which installs it."""

from random import Random

import onnxoptimizer
import pytest

from onnxsim_core import simplify
from onnxsim_core.passes import catalog
from onnxsim_testkit import random_model

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("name", onnxoptimizer.get_available_passes())
def test_every_pass_is_in_the_catalogue(name):
    catalog.load()

    assert name in catalog.CATALOG


# onnxoptimizer itself gives up on the model of seed 135.
@pytest.mark.parametrize("seed", [seed for seed in range(150) if seed != 135])
def test_no_more_nodes_are_left(seed):
    model, _ = random_model(Random(seed), 4 + seed % 40)
    passes = onnxoptimizer.get_fuse_and_elimination_passes()
    optimized = onnxoptimizer.optimize(model, passes, fixed_point=True)
    simplified, _ = simplify(model)

    assert len(simplified.graph.node) <= len(optimized.graph.node)
