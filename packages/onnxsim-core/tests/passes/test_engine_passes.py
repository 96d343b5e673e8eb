"""Passes of the pipeline itself can be left out like others."""

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_testkit import model

PROTO = model("""g (float[2,3] x) => (float[2,3] z) {
    a = Exp(x) b = Exp(x) s = Add(a, b) t = Mul(k, k) u = Add(s, t) v = Mul(u, m) w = Sub(u, n) z = Add(v, w) }""",
              initializers={"k": np.full(3, 2, np.float32), "m": np.full(3, 7, np.float32), "n": np.full(3, 7, np.float32)})


def left(**options):
    graph = simplify(PROTO, 1, **options).model.graph
    return sorted(node.op_type for node in graph.node), len(graph.initializer)


def test_all_of_them_work_by_default():
    assert left() == (["Add", "Add", "Add", "Exp", "Mul", "Sub"], 2)


@pytest.mark.parametrize(
    ("name", "ops", "constants"),
    [
        ("eliminate_common_subexpression", ["Add", "Add", "Add", "Exp", "Exp", "Mul", "Sub"], 2),
        ("fold_constants", ["Add", "Add", "Add", "Exp", "Mul", "Mul", "Sub"], 2),
        ("eliminate_duplicate_initializer", ["Add", "Add", "Add", "Exp", "Mul", "Sub"], 3),
    ],
)
def test_each_can_be_left_out(name, ops, constants):
    assert left(skipped_optimizers=[name]) == (ops, constants)


def test_folding_can_be_left_out_by_its_own_argument():
    assert left(skip_constant_folding=True) == left(skipped_optimizers=["fold_constants"])


def test_folding_goes_on_where_no_pass_runs():
    assert left(perform_optimization=False)[0].count("Mul") == 1
    assert left(perform_optimization=False, skip_constant_folding=True) == (sorted(
        node.op_type for node in PROTO.graph.node), 3)
