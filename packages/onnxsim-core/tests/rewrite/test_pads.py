"""Every form a constant Pad has had, and the pads of windows."""

import numpy as np
import pytest
from inferred import Inferred

from onnxsim_core.rewrite import pads
from onnxsim_core.rewrite.rule import Skip


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


@pytest.mark.parametrize(
    ("call", "opset", "arrays", "wanted"),
    [
        ("Pad<pads=[0,0,1,0,0,2], value=1.5>(x)", 9, {}, ((1,), (2,), 1.5)),
        ("Pad<pads=[0,0,1,0,0,2]>(x)", 6, {}, ((1,), (2,), 0.0)),
        ("Pad<paddings=[0,0,1,0,0,2]>(x)", 1, {}, ((1,), (2,), 0.0)),
        ("Pad(x, a)", 13, {"a": ints(0, 0, 1, 0, 0, 2)}, ((1,), (2,), 0.0)),
        ("Pad(x, a, v)", 13, {"a": ints(0, 0, 1, 0, 0, 2), "v": np.float32(-2)}, ((1,), (2,), -2.0)),
        ("Pad(x, a, , axes)", 18, {"a": ints(3, 4), "axes": ints(-1)}, ((3,), (4,), 0.0)),
        ("Pad(x, a, , axes)", 18, {"a": ints(0, 3, 0, 4), "axes": ints(1, 2)}, ((3,), (4,), 0.0)),
        ("Pad(x, a, , axes)", 18, {"a": ints(3, 4), "axes": ints(5)}, "what the Pad adds is not known"),
        ("Pad(x, a, , axes)", 18, {"a": ints(3, 4, 5), "axes": ints(1)}, "what the Pad adds is not known"),
        ("Pad(x, a)", 13, {"a": ints(0, 1, 0, 2)}, "what the Pad adds is not known"),
        ('Pad<mode="edge">(x, a)', 13, {"a": ints(0, 0, 1, 0, 0, 2)}, "the Pad does not add a constant"),
        ("Pad(x, a)", 13, {"a": ints(0, 0, -1, 0, 0, 2)}, "the Pad crops"),
        ("Pad(x, a)", 13, {"a": ints(0, 1, 1, 0, 0, 2)}, "the Pad adds samples or channels"),
    ],
)
def test_spatial_padding(call, opset, arrays, wanted):
    graph = Inferred(f"g (float[2,3,8] x) => (float[] z) {{ z = {call} }}", opset, **arrays)
    found = pads.spatial_padding(graph.nodes["z"], graph.op)
    if isinstance(wanted, str):
        assert isinstance(found, Skip) and found.reason == wanted
    else:
        assert (found.begins, found.ends, found.value) == wanted


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ("", (0, 0, 0, 0)),
        ("<pads=[1,2,3,4]>", (1, 2, 3, 4)),
        ('<auto_pad="VALID">', (0, 0, 0, 0)),
        ('<auto_pad="NOTSET", pads=[1,0,0,1]>', (1, 0, 0, 1)),
        ('<auto_pad="SAME_LOWER">', None),
        ("<pads=[1,2]>", None),
    ],
)
def test_own_pads(attributes, wanted):
    graph = Inferred(f"g (float[2,3,8,8] x, float[4,3,3,3] w) => (float[] z) {{ z = Conv{attributes}(x, w) }}")
    found = pads.own_pads(graph.nodes["z"], 2)
    assert isinstance(found, Skip) if wanted is None else found == wanted


def test_summed():
    assert pads.summed((1, 2, 3, 4), pads.Padding((10, 20), (30, 40), 0.0)) == (11, 22, 33, 44)
