import xml.etree.ElementTree as ElementTree

from cli.running import RESHAPE, SIZES

from onnxsim_core import simplify
from onnxsim_core.report.outline import outline
from onnxsim_core.report.picture import picture
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model

SPACE = "{http://www.w3.org/2000/svg}"


def drawn():
    proto = model(RESHAPE, initializers=SIZES)
    return picture(take(proto, with_outline=True).outline, outline(simplify(proto).graph))


def test_both_graphs_are_drawn_with_their_counts():
    root = ElementTree.fromstring(drawn())
    texts = [text.text for text in root.iter(f"{SPACE}text")]

    assert "before: 9 nodes, 4 constants" in texts and "after: 1 node, 1 constant" in texts
    assert texts.count("Gather") == 3 and texts.count("Reshape") == 2
    assert root.get("width") and root.get("viewBox").startswith("0 0 ")


def test_it_needs_nothing_from_elsewhere():
    text = drawn().replace("http://www.w3.org/2000/svg", "")

    assert "http" not in text and "href" not in text


def test_it_is_the_same_every_time():
    assert drawn() == drawn()
