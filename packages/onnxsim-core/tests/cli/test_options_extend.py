"""Options about operators on the command line."""

import onnx
import pytest
from cli.running import assert_one_line, onnxsim, ops_of

from onnxsim_core.cli.main import build_parser
from onnxsim_core.cli.options_extend import settings
from onnxsim_testkit import model

RULES = '''<domain: "c", opset_import: ["" : 18]> p (x) => (y) { t = Exp(x) y = Log(t) }
<domain: "c", opset_import: ["" : 18]> r (x) => (y) { y = Identity(x) }
'''


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.onnx"
    onnx.save(model("g (float[2] x) => (float[2] y) { a = Exp(x) b = Log(a) y = Relu(b) }", opset=18), path)
    return path


def test_what_they_say():
    parser = build_parser()
    assert settings(parser.parse(["a", "b"])) == {
        "target_opset_version": None, "inline_functions": False, "import_custom_schemas": True, "function_rewrite_rules": None}
    given = settings(parser.parse(["a", "b", "--target-opset", "13", "--inline-functions", "--skip-schema-import"]))
    assert (given["target_opset_version"], given["inline_functions"], given["import_custom_schemas"]) == (13, True, False)
    assert settings(parser.parse(["a", "b", "--target-opset", "latest"]))["target_opset_version"] == "latest"


def test_a_whole_run(source, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text(RULES)
    ran = onnxsim(source, tmp_path / "b.onnx", 1, "--target-opset", "13", "--rewrite-rules", rules,
                  "--skip-optimization", "eliminate_consecutive_inverses")

    assert ran.code == 0 and ops_of(tmp_path / "b.onnx") == ["Relu"]
    assert onnx.load(tmp_path / "b.onnx").opset_import[0].version == 13


def test_rules_from_several_files(source, tmp_path):
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(RULES)
    args = build_parser().parse([str(source), "b", "--rewrite-rules", str(tmp_path / "one.txt"), "--rewrite-rules",
                                 str(tmp_path / "two.txt")])
    assert len(settings(args)["function_rewrite_rules"]) == 2


def test_functions_are_inlined(tmp_path):
    text = """<ir_version: 8, opset_import: ["" : 18, "l" : 1]> g (float[2] x) => (float[2] y) { y = l.f(x) }
        <domain: "l", opset_import: ["" : 18]> f (x) => (y) { t = Neg(x) y = Exp(t) }"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "a.onnx")

    assert onnxsim(tmp_path / "a.onnx", tmp_path / "b.onnx", "--inline-functions").code == 0
    assert ops_of(tmp_path / "b.onnx") == ["Neg", "Exp"]


@pytest.mark.parametrize(("words", "code", "text"), [
    (["--target-opset", "foo"], 2, "'foo' is no operator set: write a number, or latest"),
    (["--target-opset", "6"], 2, "6 is no operator set that can be written"),
    (["--target-opset"], 2, "expected one argument"),
    (["--rewrite-rules", "nowhere.txt"], 2, "nowhere.txt: the rules cannot be read"),
])
def test_what_is_wrong(source, tmp_path, words, code, text):
    ran = onnxsim(source, tmp_path / "b.onnx", *words)

    assert_one_line(ran, code, text)
    assert not (tmp_path / "b.onnx").exists()


def test_a_conversion_that_cannot_be_done_is_a_failure(tmp_path):
    onnx.save(model("g (float[2] x) => (float[2] y) { y = Erf(x) }", opset=18), tmp_path / "a.onnx")
    ran = onnxsim(tmp_path / "a.onnx", tmp_path / "b.onnx", "--target-opset", "8")

    assert ran.code == 1 and "cannot be converted from opset 18 to 8: main/Erf->y: Erf of opset 9" in ran.err
