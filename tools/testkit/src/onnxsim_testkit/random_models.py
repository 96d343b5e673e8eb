"""Random models that run: graphs of common operators with everything that makes rewriting them hard.

Values are read more than once, middle values are graph outputs, constants are initializers or Constant nodes, sizes are
static or named, and detours (identities, pairs of transposes, shape arithmetic) are frequent, since those are what a
simplifier changes.
"""

from collections.abc import Sequence
from random import Random

import onnx
from onnx import helper

from .growth import FLOAT, Growth, Known
from .random_steps import STEPS, Step, reduction

LARGEST = 4096


def random_model(
    rng: Random, nodes: int = 12, opset: int | None = None, steps: Sequence[Step] = STEPS
) -> tuple[onnx.ModelProto, dict[str, int]]:
    """Grow a model of about that many nodes; gives it with the sizes of its named dimensions.

    All floats are float32. The model runs in onnxruntime on `random_feeds(model, seed, sizes)`.
    """
    g = Growth(rng, opset or rng.choice((13, 15, 17, 18, 21)))
    inputs, sizes = [], {"n": rng.randrange(1, 4), "m": rng.randrange(1, 6)}
    for _ in range(rng.randrange(1, 3)):
        shape = tuple(rng.randrange(1, 6) for _ in range(rng.choice((1, 2, 3, 4, 4))))
        declared: list[int | str] = list(shape)
        for axis, symbol in enumerate(sizes):
            if axis < len(shape) and rng.random() < 0.4:
                declared[axis] = symbol
        real = tuple(sizes[d] if isinstance(d, str) else d for d in declared)
        name = g.fresh("x")
        inputs.append(helper.make_tensor_value_info(name, FLOAT, declared))
        g.values.append(Known(name, FLOAT, real))
    while len(g.nodes) < nodes:
        if g.values[-1].size > LARGEST:
            reduction(g)
        rng.choice(steps)(g)
        g.values = [v for v in g.values if v.size <= LARGEST or v is g.values[-1]]
    given = {info.name for info in inputs}
    made = [v for v in g.values if v.name not in given]
    chosen = {made[-1].name} | {v.name for v in made if rng.random() < 0.12}
    outputs = [
        helper.make_tensor_value_info(v.name, v.dtype, [None] * len(v.shape)) for v in made if v.name in chosen
    ]
    graph = helper.make_graph(g.nodes, "random", inputs, outputs, g.initializers)
    ir_version = helper.find_min_ir_version_for([helper.make_opsetid("", g.opset)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", g.opset)], ir_version=ir_version)
    return model, sizes
