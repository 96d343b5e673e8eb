"""Local functions that stay are simplified by what holds for every call."""

import numpy as np
import pytest

from onnxsim_core import ModelError, simplify
from onnxsim_testkit import assert_same_outputs, model

HEAD = """<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] z) { z = my.F(x) }
"""
X = {"x": np.float32([1, -2])}


def function(body, name="F"):
    return f'<domain: "my", opset_import: ["" : 17, "my" : 1]> {name} (a) => (b) {{ {body} }}'


def bodies(text):
    proto = model(text)
    result = simplify(proto).model
    return proto, result, {f.name: [node.op_type for node in f.node] for f in result.functions}


def test_a_body_loses_what_does_nothing_and_nobody_reads():
    proto, result, found = bodies(HEAD + function("c = Identity(a) d = Sin(a) b = Exp(c)"))

    assert found == {"F": ["Exp"]}
    assert_same_outputs(proto, result, X, rtol=0, atol=0)


def test_functions_that_functions_call_are_simplified_too():
    proto, result, found = bodies(
        HEAD + function("c = my.G(a) b = Exp(c)") + function("c = Identity(a) b = Sin(c)", "G")
    )

    assert found == {"F": ["G", "Exp"], "G": ["Sin"]}
    assert_same_outputs(proto, result, X, rtol=0, atol=0)


def test_what_depends_on_an_attribute_of_the_caller_is_left_alone():
    text = """<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
    g (float[2,3] x) => (float[2,3] z) { z = my.F<p=[0,1]>(x) }
    <domain: "my", opset_import: ["" : 17]> F <p> (a) => (b) { c = Transpose<perm: ints = @p>(a) b = Exp(c) }"""

    assert bodies(text)[2] == {"F": ["Transpose", "Exp"]}


def test_nothing_is_known_of_the_inputs_of_a_body():
    """The only call gives two dimensions; a Flatten would do nothing there, but the body must hold for every call."""
    text = """<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
    g (float[2,3] x) => (float[2,3] z) { z = my.F(x) }
    """ + function("c = Flatten(a) b = Exp(c)")

    assert bodies(text)[2] == {"F": ["Flatten", "Exp"]}


def test_a_function_that_is_not_called_any_more_goes_but_one_that_never_was_stays():
    text = HEAD.replace("z = my.F(x)", "y = my.F(x) z = Exp(x)")
    _, result, found = bodies(text + function("b = Sin(a)") + function("b = Cos(a)", "Never"))

    assert [node.op_type for node in result.graph.node] == ["Exp"] and found == {"Never": ["Cos"]}


def test_a_function_that_calls_itself_is_an_error():
    with pytest.raises(ModelError):
        bodies(HEAD + function("c = my.F(a) b = Exp(c)"))
