import re
from html.parser import HTMLParser

from cli.running import RESHAPE, SIZES

from onnxsim_core import simplify
from onnxsim_core.report.facts import measure
from onnxsim_core.report.outline import outline
from onnxsim_core.report.page import page
from onnxsim_core.report.snapshot import take
from onnxsim_core.report.table import simplification_table
from onnxsim_testkit import model

VOID = {"meta", "input", "path", "rect", "link", "br"}


def written(title="m.onnx"):
    proto = model(RESHAPE, initializers=SIZES)
    before, result = take(proto, with_outline=True), simplify(proto, trace=True)
    table = simplification_table(before.facts, measure(result.graph, result.nbytes))
    return page(title, before.outline, outline(result.graph), table, result.report.events)


class Tags(HTMLParser):
    """Checks that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.counts = [], {}

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag


def test_the_page_is_whole():
    tags = Tags()
    tags.feed(written())

    assert tags.open == []
    assert tags.counts["section"] == 2 and tags.counts["table"] == 1 and tags.counts["script"] == 1


def test_it_needs_no_network():
    assert not re.findall(r"https?://|src=|@import|url\((?!#)", written())


def test_it_holds_graphs_table_and_reasons():
    text = written()

    assert "before: 9 nodes" in text and "after: 1 node<" in text
    assert "<th>Gather</th><td>3</td><td class=\"better\">0</td>" in text
    assert "What became of the nodes" in text and "fold_constants" in text
    assert "Nodes removed (8):" in text


def test_names_cannot_become_markup():
    text = written("<script>alert(1)</script>")

    assert "<script>alert(1)" not in text and "&lt;script&gt;alert(1)" in text
