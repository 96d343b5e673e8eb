"""Passes that the pipeline itself does can be skipped by name like any other."""

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_core.passes import catalog
from onnxsim_testkit import model


def nodes(text, *skipped):
    return [node.op_type for node in simplify(model(text), skipped_optimizers=skipped).model.graph.node]


@pytest.mark.parametrize(
    ("name", "text", "on", "off"),
    [
        (
            "eliminate_common_subexpression",
            "g (float[2] x) => (float[2] z) { a = Exp(x) b = Exp(x) z = Mul(a, b) }",
            ["Exp", "Mul"],
            ["Exp", "Exp", "Mul"],
        ),
        (
            "fold_constants",
            "g (float[2] x) => (float[2] z) <float[2] w={1,2}> { a = Exp(w) z = Mul(x, a) }",
            ["Mul"],
            ["Exp", "Mul"],
        ),
    ],
)
def test_each_does_its_work_unless_it_is_skipped(name, text, on, off):
    assert nodes(text) == on
    assert nodes(text, name) == off


def test_random_nodes_are_never_one():
    text = "g (float[2] x) => (float[2] z) { a = RandomNormalLike(x) b = RandomNormalLike(x) z = Sub(a, b) }"

    assert nodes(text).count("RandomNormalLike") == 2


def test_nodes_get_names_of_their_own():
    proto = model("g (float[2] x) => (float[2] z) { a = Exp(x) b = Sin(a) z = Exp(b) }")
    proto.graph.node[0].name = proto.graph.node[1].name = "same"
    names = [node.name for node in simplify(proto).model.graph.node]
    kept = simplify(proto, skipped_optimizers=["set_unique_name_for_nodes"]).model

    assert names[0] == "same" and all(names) and len(set(names)) == 3
    assert [node.name for node in kept.graph.node] == ["same", "same", ""]


def test_constants_that_nobody_reads_go():
    proto = model("g (float[2] x) => (float[2] z) { z = Exp(x) }", initializers={"w": np.zeros(2, np.float32)})

    assert len(simplify(proto).model.graph.initializer) == 0


def test_they_are_in_the_catalogue():
    catalog.load()
    found = {one.name for one in catalog.CATALOG.values() if one.kind == "engine"}

    assert {"eliminate_deadend", "fold_constants", "eliminate_common_subexpression"} <= found
    assert {name for name in found if not catalog.CATALOG[name].default} == {"float16_to_float32"}
