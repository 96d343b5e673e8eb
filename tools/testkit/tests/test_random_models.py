from collections import Counter
from random import Random

import numpy as np
import onnx

from onnxsim_testkit import random_feeds, random_model, run
from onnxsim_testkit.random_steps import STEPS


def test_every_random_model_is_valid_and_runs():
    seen = Counter()
    for seed in range(150):
        model, sizes = random_model(Random(seed), nodes=14)
        onnx.checker.check_model(model, full_check=True)
        outputs = run(model, random_feeds(model, seed, sizes))
        assert outputs
        seen.update(node.op_type for node in model.graph.node)
    assert len(seen) > len({*STEPS})


def test_the_generator_decides_and_nothing_else():
    first, second = (random_model(Random(7))[0] for _ in range(2))

    assert first.SerializeToString() == second.SerializeToString()
    assert first.SerializeToString() != random_model(Random(8))[0].SerializeToString()


def test_the_sizes_are_those_of_the_named_dimensions():
    for seed in range(20):
        model, sizes = random_model(Random(seed))
        for info in model.graph.input:
            feed = random_feeds(model, 0, sizes)[info.name]
            dims = [sizes[d.dim_param] if d.dim_param else d.dim_value for d in info.type.tensor_type.shape.dim]
            assert np.shape(feed) == tuple(dims)
