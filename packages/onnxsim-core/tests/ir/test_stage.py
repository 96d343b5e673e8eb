import os
import stat

import numpy as np
import onnx
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.stage import StagedModel
from onnxsim_testkit import model

WEIGHT = np.arange(1024, dtype=np.float32)
PROTO = model("g (float[1024] x) => (float[1024] y) { y = Add(x, w) }", initializers={"w": WEIGHT})


def stage(target, threshold=1 << 30):
    return StagedModel(read_model(PROTO.SerializeToString()), str(target), external_threshold=threshold)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def weight_of(path):
    return onnx.numpy_helper.to_array(onnx.load(path).graph.initializer[0])


def test_nothing_happens_to_the_target_before_commit(tmp_path):
    target = tmp_path / "m.onnx"
    target.write_bytes(b"previous")
    with stage(target) as staged:
        assert target.read_bytes() == b"previous"
        np.testing.assert_array_equal(weight_of(staged.path), WEIGHT)
        assert staged.nbytes == os.path.getsize(staged.path)
        staged.commit()

    np.testing.assert_array_equal(weight_of(target), WEIGHT)
    assert names(tmp_path) == ["m.onnx"]


def test_without_commit_nothing_is_left(tmp_path):
    target = tmp_path / "m.onnx"
    with stage(target, threshold=0):
        assert len(names(tmp_path)) == 1

    assert names(tmp_path) == []


def test_the_data_file_comes_along(tmp_path):
    target = tmp_path / "m.onnx"
    (tmp_path / "m.onnx.data").write_bytes(b"previous")
    with stage(target, threshold=0) as staged:
        np.testing.assert_array_equal(weight_of(staged.path), WEIGHT)
        assert (tmp_path / "m.onnx.data").read_bytes() == b"previous"
        assert staged.nbytes == sum(entry.stat().st_size for entry in os.scandir(os.path.dirname(staged.path)))
        staged.commit()

    np.testing.assert_array_equal(weight_of(target), WEIGHT)
    assert names(tmp_path) == ["m.onnx", "m.onnx.data"]
    assert (tmp_path / "m.onnx.data").stat().st_size == WEIGHT.nbytes


def test_when_the_model_cannot_be_put_in_place_the_data_is_put_back(tmp_path, monkeypatch):
    (tmp_path / "m.onnx.data").write_bytes(b"previous")
    target = tmp_path / "m.onnx"
    with pytest.raises(ModelError, match="cannot be written"), stage(target, threshold=0) as staged:
        real = os.replace

        def failing(source, place):
            if place == str(target):
                raise PermissionError(13, "Permission denied")
            real(source, place)

        monkeypatch.setattr(os, "replace", failing)
        staged.commit()

    assert (tmp_path / "m.onnx.data").read_bytes() == b"previous"
    assert names(tmp_path) == ["m.onnx.data"]


def test_permissions_of_the_previous_file_stay(tmp_path):
    target = tmp_path / "m.onnx"
    target.write_bytes(b"previous")
    target.chmod(0o640)
    with stage(target) as staged:
        staged.commit()

    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "m.onnx").write_bytes(b"previous")
    (tmp_path / "link.onnx").symlink_to(tmp_path / "real" / "m.onnx")
    with stage(tmp_path / "link.onnx") as staged:
        staged.commit()

    assert (tmp_path / "link.onnx").is_symlink()
    np.testing.assert_array_equal(weight_of(tmp_path / "real" / "m.onnx"), WEIGHT)


def test_a_target_that_cannot_be_written_is_known_before_the_work(tmp_path):
    with pytest.raises(ModelError, match="the folder does not exist"):
        stage(tmp_path / "no" / "m.onnx")
    with pytest.raises(ModelError, match="it is a folder"):
        stage(tmp_path)
    (tmp_path / "m.onnx.data").mkdir()
    with pytest.raises(ModelError, match=r"m\.onnx\.data"), stage(tmp_path / "m.onnx", threshold=0) as staged:
        staged.commit()

    assert names(tmp_path) == ["m.onnx.data"]


def test_a_device_gets_the_bytes():
    with stage(os.devnull) as staged:
        np.testing.assert_array_equal(weight_of(staged.path), WEIGHT)
        staged.commit()

    assert not os.path.isfile(os.devnull)
