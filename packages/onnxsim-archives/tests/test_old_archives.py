"""Archives that users have: those that onnxsim 0.8.1 wrote (data/README.md)."""

from pathlib import Path

import onnx
import pytest
from archiving import canonical, old_model

from onnxsim_archives import (
    export_gguf,
    export_safetensors,
    import_gguf,
    import_safetensors,
    open_archive,
    read_gguf_metadata,
    unpack_archive,
)
from onnxsim_core import simplify

DATA = Path(__file__).parent / "data"
OLD = {import_safetensors: DATA / "onnxsim_0_8_1.onnx.safetensors", import_gguf: DATA / "onnxsim_0_8_1.onnx.gguf"}


@pytest.mark.parametrize("load", OLD)
def test_they_hold_the_model_they_were_made_of(tmp_path, load):
    assert canonical(load(OLD[load])) == canonical(old_model())
    unpack_archive(OLD[load], tmp_path / "m.onnx")
    assert canonical(onnx.load(tmp_path / "m.onnx")) == canonical(old_model())


@pytest.mark.parametrize("load", OLD)
def test_they_are_simplified_and_exported_anew(tmp_path, load):
    archive = open_archive(OLD[load])
    assert simplify(archive, 2).ok
    export_gguf(archive, tmp_path / "new.gguf")
    export_safetensors(OLD[load], tmp_path / "new.safetensors")

    assert canonical(import_gguf(tmp_path / "new.gguf")) == canonical(old_model())
    assert canonical(import_safetensors(tmp_path / "new.safetensors")) == canonical(old_model())


def test_their_entries():
    assert {*open_archive(OLD[import_safetensors]).entries} == {
        "weight", "half", "double", "int8", "int64", "scalar", "empty", "rank5", "l" * 80, "inner", "c/attr0/t",
        "model.onnx"}  # fmt: skip
    found = read_gguf_metadata(OLD[import_gguf])
    assert found["kv"] == {}
    assert {"name": "rank5", "shape": [2, 1, 1, 2, 1], "ggml_type": 26} in found["tensors"]
