import gc

import pytest
from cli.running import reshape_model

from onnxsim_core.errors import ModelError
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model

TEXT = "g (float[3] x) => (float[3] y) { y = Relu(x) }"


def test_the_outline_is_taken_on_request():
    assert take(model(TEXT)).outline is None
    assert [node.op for node in take(model(TEXT), with_outline=True).outline.nodes] == ["Relu"]


def test_paths_bytes_and_protos_tell_the_same(tmp_path):
    path = reshape_model(tmp_path / "a.onnx")

    assert take(path).facts.data() == take(path.read_bytes()).facts.data()


def test_the_garbage_collector_is_left_as_it_was():
    assert gc.isenabled()
    with pytest.raises(ModelError):
        take(b"no model")
    assert gc.isenabled()
    gc.disable()
    try:
        take(model(TEXT))
        assert not gc.isenabled()
    finally:
        gc.enable()
