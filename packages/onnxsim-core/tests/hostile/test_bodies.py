"""Bodies that take or give another number of values than the node around them: no crash, and no name that nothing makes."""

import onnx
import pytest

from onnxsim_core import OnnxsimError, simplify
from onnxsim_testkit import model

BODIES = {
    "Loop, one run": """g (float[2] x) => (float[2] y, float[1,2] z) <int64 n = {1}, bool go = {1}> {
        y, z = Loop(n, go, x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t, float[2] u) {
            d = Identity(c) t = Neg(s) u = Abs(s) }> }""",
    "Loop, no run": """g (float[2] x) => (float[2] y) <int64 n = {0}, bool go = {1}> {
        y = Loop(n, go, x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t) { d = Identity(c) t = Neg(s) }> }""",
    "Loop": """g (float[2] x, int64 n) => (float[2] y, float[?,2] z) <bool go = {1}> {
        y, z = Loop(n, go, x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t, float[2] u) {
            d = Identity(c) t = Neg(s) u = Abs(s) }> }""",
    "If, known": """g (float[2] x) => (float[2] y, float[2] z) <bool go = {1}> {
        y, z = If(go) <then_branch = b () => (float[2] t, float[2] u) { t = Neg(x) u = Abs(x) },
                       else_branch = e () => (float[2] v, float[2] w) { v = Neg(x) w = Exp(x) }> }""",
    "If": """g (float[2] x, bool go) => (float[2] y, float[2] z) {
        y, z = If(go) <then_branch = b () => (float[2] t, float[2] u) { t = Neg(x) u = Abs(x) },
                       else_branch = e () => (float[2] v, float[2] w) { v = Neg(x) w = Abs(x) }> }""",
    "Scan": """g (float[1,2] x) => (float[2] y, float[1,2] z) <float[2] k = {1, 2}> {
        y, z = Scan<num_scan_inputs = 1, body = b (float[2] s, float[2] r) => (float[2] t, float[2] u) {
            t = Add(s, r) u = Abs(r) }>(k, x) }""",
    "SequenceMap": """g (seq(float[2]) x) => (seq(float[2]) y) {
        y = SequenceMap(x) <body = b (float[2] s) => (float[2] t) { t = Neg(s) }> }""",
}
OPTIONS = ({}, {"include_subgraph": False}, {"perform_optimization": False}, {"skip_constant_folding": True})


def fewer_body_outputs(node, body, count):
    del body.output[-count:]


def more_body_outputs(node, body, count):
    body.output.extend([onnx.ValueInfoProto(name=body.node[0].output[0])] * count)


def fewer_body_inputs(node, body, count):
    del body.input[-count:]


def fewer_inputs(node, body, count):
    del node.input[-count:]


def more_inputs(node, body, count):
    node.input.extend(["x"] * count)


def damaged(name):
    for damage in (fewer_body_outputs, more_body_outputs, fewer_body_inputs, fewer_inputs, more_inputs):
        for count in (1, 2, 3):
            original = model(BODIES[name], opset=18)
            for body in [attribute.g for attribute in original.graph.node[0].attribute if attribute.HasField("g")]:
                damage(original.graph.node[0], body, count)
                yield original


def unmade(graph, known=frozenset()):
    """Names that are read and nothing makes."""
    known = known | {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer} | {""}
    known |= {name for node in graph.node for name in node.output}
    read = [name for node in graph.node for name in node.input] + [info.name for info in graph.output]
    inner = [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]
    return [name for name in read if name not in known] + [name for body in inner for name in unmade(body, known)]


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_does_not_fit_its_node(name):
    given = 0
    for original in damaged(name):
        for options in OPTIONS:
            try:
                result = simplify(original, **options).model
            except OnnxsimError:
                continue
            given += 1
            assert unmade(result.graph) == []
    assert given > 20
