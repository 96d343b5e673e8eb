"""fuse_consecutive_log_softmax: off by default."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes import catalog
from onnxsim_core.passes.fuse_consecutive_log_softmax import log_softmax
from onnxsim_testkit import model, run


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            log_softmax,
            "g (float[n,4] x) => (float[n,4] z) { y = Softmax<axis=0>(x) z = Log(y) }",
            "g (float[n,4] x) => (float[n,4] z) { z = LogSoftmax<axis=0>(x) }",
            {"rtol": 1e-05, "atol": 1e-06},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            log_softmax,
            "g (float[n,4] x) => (float[n,4] z) { y = Sigmoid(x) z = Log(y) }",
            "input is not made by a Softmax that is read here only",
            {},
        ),
        (
            log_softmax,
            "g (float[n,4] x) => (float[n,4] z, float[n,4] y) { y = Softmax(x) z = Log(y) }",
            "input is not made by a Softmax that is read here only",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_it_is_off_by_default_because_it_is_finite_where_log_is_not():
    catalog.load()
    assert not catalog.CATALOG["fuse_consecutive_log_softmax"].default
    text = "g (float[2] x) => (float[2] z) { y = Softmax(x) z = Log(y) }"
    feeds = {"x": np.array([0, 200], np.float32)}
    assert run(model(text, opset=17), feeds)["z"][0] == -np.inf
    assert run(apply(log_softmax, text)[0], feeds)["z"][0] == -200
