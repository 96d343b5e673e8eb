"""Rows of strings stay cut by Slice and Split: of each row, onnxruntime 1.32 gathers the first string alone."""

import numpy as np
import pytest
from rewriting import assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.fuse_slice_squeeze import gather_instead_of_slice, gather_instead_of_split
from onnxsim_testkit import assert_same_outputs, model

REASON = "of a row of strings, onnxruntime gathers the first only"
SLICE = """g (string[2,3] x) => (string[3] y) <int64[1] i = {1}, int64[1] j = {2}, int64[1] k = {0}>
    { s = Slice(x, i, j, k) y = Squeeze(s, k) }"""
SPLIT = """g (string[2,3] x) => (string[3] y, string[3] z) <int64[1] k = {0}>
    { s, t = Split<axis=0>(x) y = Squeeze(s, k) z = Squeeze(t, k) }"""


def test_skips_rows_of_strings():
    assert_skips(gather_instead_of_slice, SLICE, REASON)
    assert_skips(gather_instead_of_split, SPLIT, REASON)


@pytest.mark.parametrize("text", [SLICE, SPLIT])
def test_the_strings_stay(text):
    proto = model(text, opset=17)
    x = np.array([["a", "b", "c"], ["d", "e", "f"]], dtype=object)

    assert_same_outputs(proto, simplify(proto).model, {"x": x}, rtol=0, atol=0)
