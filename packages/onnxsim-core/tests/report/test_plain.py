import xml.etree.ElementTree as ElementTree

import pytest

from onnxsim_core.report.plain import plain, plain_lines


@pytest.mark.parametrize(("text", "shown"), [
    ("\x1b[31mred\n\x07", r"\x1b[31mred\x0a\x07"),
    ("\x00\x1f\x7f\x80\x9b2J\x9f", r"\x00\x1f\x7f\x80\x9b2J\x9f"),
    ("a\ud800b\udfff", r"a\ud800b\udfff"),
    ("\ufffe\uffff", r"\ufffe\uffff"),
])
def test_what_a_terminal_would_obey_is_shown(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize("text", ["", "Conv_0 ~", "\xa0caf\xe9", "\u03b1\ud7ff\ue000\ufffd\U0001f600", r"\x1b"])
def test_all_other_text_stays(text):
    assert plain(text) == text


def test_lines_stay_lines():
    assert plain_lines("a\n\x07b\r\n") == "a\n\\x07b\\x0d\n"


def test_xml_can_hold_the_result():
    every = "".join(map(chr, range(0x10000))).replace("<", "").replace("&", "")

    assert ElementTree.fromstring(f"<a>{plain(every)}</a>").text == plain(every)
