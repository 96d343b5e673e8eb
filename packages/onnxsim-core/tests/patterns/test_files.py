"""Rules from files."""

import onnx
import pytest
from onnx import parser

from onnxsim_core.errors import OptionError
from onnxsim_core.patterns.files import functions_in, load_rules

FIRST = '<domain: "c", opset_import: ["" : 18]>\np (x) => (y) {\n' \
        '  k = Constant<value = float {2.0}>()  # a brace }\n  y = Mul(x, k)\n}\n'
SECOND = '<domain: "c", opset_import: ["" : 18]> r (x) => (y) { y = Foo<s="}a\\"{">(x) }\n'


def test_functions_one_after_the_other(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text(f"# two rules\n\n{FIRST}\n# and \"what for\n{SECOND}{FIRST}{SECOND}")

    rules = load_rules(path)

    assert [(a.name, b.name) for a, b in rules] == [("p", "r"), ("p", "r")]
    assert rules[0][1].node[0].attribute[0].s == b'}a"{'


def test_lines_are_those_of_the_file():
    assert [line for line, _ in functions_in(f"\n\n{FIRST}# x\n\n{SECOND}")] == [3, 10]


def test_functions_of_a_model(tmp_path):
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18, "c" : 1]> g () => () {{ }} {FIRST} {SECOND}')
    onnx.save(model, tmp_path / "rules.onnx")

    ((pattern, replacement),) = load_rules(tmp_path / "rules.onnx")

    assert (pattern.name, replacement.name) == ("p", "r")


@pytest.mark.parametrize(("content", "why"), [
    (FIRST, "the file holds 1 functions, not pairs of a pattern and a replacement"),
    ("", "the file holds 0 functions"),
    ("# nothing\n", "the file holds 0 functions"),
    (FIRST + "\nr (x => (y) { y = Neg(x) }", "the function that begins in line 7 is no ONNX text: "),
    (FIRST + SECOND + "left over", "the function that begins in line 7 is no ONNX text: "),
    (b"\xff\xfe\x00", "the file holds neither a model nor text"),
])
def test_what_is_wrong_with_a_file(tmp_path, content, why):
    path = tmp_path / "rules.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OptionError) as caught:
        load_rules(path)
    assert caught.value.message.startswith(why) and caught.value.where == str(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(OptionError, match="the rules cannot be read: No such file or directory"):
        load_rules(tmp_path / "none.txt")
