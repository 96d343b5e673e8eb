import xml.etree.ElementTree as ElementTree

from onnxsim_core.report.scene import REMOVED, SAME, Box, Scene
from onnxsim_core.report.svg import COLOURS, box_size, draw


def parsed(drawing):
    return ElementTree.fromstring(f"<svg>{drawing.body}</svg>")


SCENE = Scene([Box("A<b>", ["1 & 2"], SAME, "tip \"a\" <b>", 'key "x"'), Box("B", [], REMOVED, "other")], [(0, 1)],
              ["value: float32[2]"])


def test_boxes_edges_and_tips_are_drawn():
    root = parsed(draw(SCENE))
    groups = root.findall("g")

    assert [text.text for text in groups[0].findall("text")] == ["A<b>", "1 & 2"]
    assert groups[0].find("title").text == 'tip "a" <b>' and groups[0].get("data-k") == 'key "x"'
    assert groups[1].find("rect").get("fill") == COLOURS[REMOVED][0]
    assert root.find("path/title").text == "value: float32[2]"


def test_everything_lies_within_the_given_room():
    drawing = draw(SCENE)
    for rect in parsed(drawing).iter("rect"):
        x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        assert 0 <= x and x + width <= drawing.width + 0.1 and 0 <= y and y + height <= drawing.height + 0.1


def test_a_box_has_room_for_its_text():
    short, long = box_size(Box("A", [], SAME, "")), box_size(Box("A", ["x" * 30, "y"], SAME, ""))

    assert long[0] > short[0] and long[1] > short[1]
