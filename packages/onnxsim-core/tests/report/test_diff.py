from onnxsim_core.report.diff import diff, diff_lines
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model


def outline(text, **options):
    return take(model(text, **options), with_outline=True).outline


BEFORE = outline("g (float[2,4] x) => (float[2,4] y) { a = Relu(x) b = Exp(a) c = Softmax<axis=0>(b) y = Identity(c) }")
AFTER = outline("g (float[2,4] x) => (float[2,4] y) { b = Exp(x) c = Softmax<axis=1>(b) y = Neg(c) z = Abs(c) }")


def test_nodes_are_matched_by_what_they_make():
    found = diff(BEFORE, AFTER)

    assert [node.op for node in found.removed_nodes] == ["Relu"]
    assert [node.op for node in found.added_nodes] == ["Abs"]
    assert [(old.op, new.op) for old, new in found.changed_nodes] == [
        ("Exp", "Exp"), ("Softmax", "Softmax"), ("Identity", "Neg")]
    assert (found.removed_values, found.added_values) == (["a"], ["z"])


def test_the_text_says_what_changed():
    lines = diff_lines(diff(BEFORE, AFTER))

    assert lines == [
        "Nodes removed (1):", "  - Relu (x) -> a",
        "Nodes added (1):", "  + Abs (c) -> z",
        "Nodes changed (3):", "  ~ Exp (x) -> b: read (a)", "  ~ Softmax (b) -> c: axis 0 -> 1",
        "  ~ Neg (c) -> y: was Identity",
        "Values removed (1):", "  - a", "Values added (1):", "  + z"]


def test_equal_graphs():
    assert diff(BEFORE, BEFORE).is_empty
    assert diff_lines(diff(BEFORE, BEFORE)) == ["The graphs are the same."]


def test_long_lists_are_cut_on_request():
    nodes = " ".join(f"v{i} = Relu(x)" for i in range(60))
    many = outline(f"g (float[2] x) => (float[2] y) {{ {nodes} y = Relu(x) }}")
    one = outline("g (float[2] x) => (float[2] y) { y = Relu(x) }")

    assert diff_lines(diff(many, one), limit=50)[51] == "  ... and 10 more"
    assert len(diff_lines(diff(many, one), limit=0)) == 2 * 61


def test_the_same_name_in_two_bodies_is_two_values():
    text = """g (bool c, float[2] x) => (float[2] y) {{
        y = If (c) <then_branch = t () => (float[2] k) {{ k = Relu(x) }},
                    else_branch = e () => (float[2] k) {{ k = {}(x) }}> }}"""
    found = diff(outline(text.format("Exp")), outline(text.format("Neg")))

    assert [(old.op, new.op) for old, new in found.changed_nodes] == [("Exp", "Neg")]
    assert found.removed_nodes == found.added_nodes == []


def test_json():
    data = diff(BEFORE, AFTER).data()

    assert data["removed_nodes"][0]["op"] == "Relu" and data["changed_nodes"][1]["after"]["attributes"] == {"axis": "1"}
