"""Names with control characters: a terminal must not obey them, and pictures and pages must stay what they are."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import onnx
import pytest
from cli.running import onnxsim

from onnxsim_testkit import model

EVIL = "\x1b[31mred\n\x07\x7f\x9b2J\x00\ufffe"
SHOWN = r"\x1b[31mred\x0a\x07\x7f\x9b2J\x00\ufffe"
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffe]")


@pytest.fixture
def path(tmp_path):
    """Everything that can have a name has that one: two nodes go, one changes, one stays."""
    proto = model("""<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
        g (float[n,3] x) => (float[] y) { i = Identity(x) z = Add(i, zero) k = own.Op(z) y = MatMul(k, w) }""",
        initializers={"zero": np.zeros(3, np.float32), "w": np.ones((3, 4), np.float32)})  # fmt: skip
    proto.producer_name = proto.producer_version = proto.graph.name = EVIL
    proto.opset_import[1].domain = proto.graph.node[2].domain = f"own{EVIL}"
    proto.graph.node[2].op_type = f"Op{EVIL}"
    proto.graph.node[2].attribute.append(onnx.helper.make_attribute(f"k{EVIL}", EVIL))
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = f"n{EVIL}"
    renamed = {name: f"{name}{EVIL}" for name in ("x", "i", "z", "zero", "w", "k", "y")}
    for node in proto.graph.node:
        node.name = f"{node.op_type}_0{EVIL}"
        node.input[:] = [renamed[name] for name in node.input]
        node.output[:] = [renamed[name] for name in node.output]
    for value in (*proto.graph.input, *proto.graph.output, *proto.graph.initializer):
        value.name = renamed[value.name]
    onnx.save(proto, tmp_path / "in.onnx")
    return tmp_path / "in.onnx"


@pytest.mark.parametrize("words", [["--explain"], ["--graph-diff"], ["-v"], ["--explain", "--graph-diff", "-v"]])
def test_what_a_run_tells(path, words):
    ran = onnxsim(path, path.parent / "out.onnx", *words)

    assert ran.code == 0 and SHOWN in ran.out
    assert HIDDEN.findall(ran.out + ran.err) == []
    assert not [line for line in ran.out.splitlines() if line.startswith("\x07")]


@pytest.mark.parametrize("count", [1, 2])
def test_what_inspect_tells(path, count):
    ran = onnxsim("inspect", *[path] * count)

    assert ran.code == 0 and f"| {SHOWN} {SHOWN} |" in ran.out
    assert HIDDEN.findall(ran.out + ran.err) == []
    assert len({len(line) for line in ran.out.splitlines() if line[:1] in "|+"}) == 1, "the frame is straight"


def test_errors(path):
    proto = onnx.load(path)
    proto.graph.node[3].input[0] = f"nowhere{EVIL}"
    onnx.save(proto, path)

    ran = onnxsim(path, path.parent / "out.onnx")

    assert ran.code == 1 and r"nowhere\x1b[31mred" in ran.err
    assert HIDDEN.findall(ran.out + ran.err) == [] and ran.err.count("\n") == 1


def test_an_option_that_names_no_input(path):
    ran = onnxsim(path, path.parent / "out.onnx", "--overwrite-input-shape", "q:1,3")

    assert ran.code != 0 and HIDDEN.findall(ran.err) == [] and ran.err.count("\n") == 1


def test_the_picture_is_xml(path):
    drawn = path.parent / "p.svg"

    assert onnxsim(path, path.parent / "out.onnx", "--picture", drawn, "-q").code == 0

    text = drawn.read_text()
    assert HIDDEN.findall(text) == []
    titles = [one.text for one in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith(f"Identity Identity_0{SHOWN}") for title in titles)


def test_the_page_holds_none(path):
    page = path.parent / "p.html"

    assert onnxsim(path, path.parent / "out.onnx", "--html", page, "-q").code == 0

    text = page.read_text()
    assert HIDDEN.findall(text) == [] and SHOWN in text


def test_json_holds_the_names_themselves(path):
    ran = onnxsim(path, path.parent / "out.onnx", "--explain", "--json")

    assert HIDDEN.findall(ran.out) == []
    assert f"Identity_0{EVIL}" in [one["name"] for one in json.loads(ran.out)["explanation"]]


def test_names_that_are_no_text(path):
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Identity_0", b"Identity\xff0"))
    drawn = path.parent / "p.svg"

    ran = onnxsim(path, path.parent / "out.onnx", "--explain", "--graph-diff", "--picture", drawn)

    assert ran.code == 0
    assert HIDDEN.findall(ran.out) == [] and not re.search("[\ud800-\udfff]", ran.out)
    ElementTree.fromstring(drawn.read_text())
