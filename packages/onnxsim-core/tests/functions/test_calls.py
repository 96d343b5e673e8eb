"""What is known of the results of a call, also when it is looked at more than once."""

from onnxsim_core import simplify
from onnxsim_testkit import model

TEXT = """<ir_version: 10, opset_import: ["" : 18, "local" : 1]>
    g (int64[6,6] x, int64[1] n) => (int64[] y) { s, h = local.Head(x, n) i = Identity(h) y = Expand(s, i) }
    <domain: "local", opset_import: ["" : 18]>
    Head (x, n) => (s, h) { z = Constant<value_ints = [0]>() s = Slice(x, z, n, z) h = Shape(s) }"""


def test_a_size_only_the_body_knows_stays_the_same_size():
    """The Identity goes, and the call is looked at again; the Expand is still to the shape that the slice has."""
    simplified = simplify(model(TEXT)).model

    assert [node.op_type for node in simplified.graph.node] == ["Head"]
