import xml.dom.minidom

import pytest
from cli.running import assert_one_line, onnxsim, ops_of, reshape_model

from onnxsim_core.cli.drawings import write_text
from onnxsim_core.errors import ModelError
from onnxsim_core.ir import rope as rope_module


@pytest.fixture
def source(tmp_path):
    return reshape_model(tmp_path / "a.onnx")


def test_explain_says_why_each_node_is_gone(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", "--explain")
    found = onnxsim(source, tmp_path / "o.onnx", "--explain", "--json").json()["explanation"]

    assert "Nodes removed or replaced (8):" in ran.out
    assert len(found) == 8 and {one["pass_name"] for one in found} == {"fold_constants"}
    assert {one["op"] for one in found} == {"Shape", "Gather", "Unsqueeze", "Concat"}


def test_graph_diff_lists_nodes_and_values(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", "--graph-diff")
    found = onnxsim(source, tmp_path / "o.onnx", "--graph-diff", "--json").json()["graph_diff"]

    assert "Nodes removed (8):" in ran.out and "  - Shape" in ran.out
    assert [node["op"] for node in found["removed_nodes"]].count("Gather") == 3
    assert found["added_nodes"] == []
    assert [pair["after"]["op"] for pair in found["changed_nodes"]] == ["Reshape"]


def test_page_and_picture_are_written(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", "--html", tmp_path / "p.html", "--picture", tmp_path / "p.svg", "-q")

    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "p.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert xml.dom.minidom.parse(str(tmp_path / "p.svg")).documentElement.tagName == "svg"


def test_a_page_that_cannot_be_written(source, tmp_path):
    assert_one_line(onnxsim(source, tmp_path / "o.onnx", "-q", "--html", tmp_path / "no" / "p.html"), 1,
                    "p.html: cannot be written: the folder does not exist")
    assert_one_line(onnxsim(source, tmp_path / "o.onnx", "-q", "--picture", tmp_path), 1, "is a folder")
    assert not (tmp_path / "o.onnx").exists()


@pytest.mark.parametrize("option", ["--html", "--picture"])
def test_a_page_that_fails_after_the_model_says_that_the_model_is_there(source, tmp_path, monkeypatch, option):
    def full(path, rope):
        raise ModelError("cannot be written: the disk is full", code="output", where=path)

    monkeypatch.setattr(rope_module, "write_atomic", full)
    ran = onnxsim(source, tmp_path / "o.onnx", "-q", option, tmp_path / "p")

    assert_one_line(ran, 1, f"p: cannot be written: the disk is full (the simplified model is in {tmp_path / 'o.onnx'})")
    assert ops_of(tmp_path / "o.onnx") == ["Reshape"]


def test_text_is_written_whole(tmp_path):
    write_text(str(tmp_path / "t"), "caf\u00e9 \udcff")

    assert (tmp_path / "t").read_bytes() == b"caf\xc3\xa9 \\udcff"
    with pytest.raises(ModelError, match="it is a folder"):
        write_text(str(tmp_path), "x")
