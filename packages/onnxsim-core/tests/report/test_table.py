from onnxsim_core.report.snapshot import take
from onnxsim_core.report.table import Row, Table, ascii_table, simplification_table
from onnxsim_testkit import model

BEFORE = take(model("g (float[2,3] x) => (float[2,3] y) { a = Relu(x) b = Identity(a) y = Relu(b) }")).facts
AFTER = take(model("g (float[2,3] x) => (float[2,3] y) { a = Relu(x) y = Exp(a) }")).facts


def rows():
    return {row.label: row for group in simplification_table(BEFORE, AFTER).groups for row in group}


def test_every_operator_of_either_side_has_a_row():
    first = simplification_table(BEFORE, AFTER).groups[0]

    assert [row.label for row in first] == ["Constant", "Exp", "Identity", "Relu"]
    assert rows()["Relu"].cells == ("2", "1") and rows()["Exp"].cells == ("0", "1")


def test_sizes_and_costs_follow():
    assert [row.label for row in simplification_table(BEFORE, AFTER).groups[1]] == [
        "Model Size", "Initializers", "Parameters", "MACs", "FLOPs", "Memory Access", "Memory Footprint",
        "Compute Density"]
    assert rows()["Memory Access"].cells == ("144B", "96B")


def test_less_is_better():
    assert rows()["Identity"].better and rows()["Memory Access"].better
    assert not rows()["Exp"].better and not rows()["Constant"].better and not rows()["Compute Density"].better


TABLE = Table(("", "A", "B"), [[Row("op", ("10", "2"), True)], [Row("size", ("1B", "[b]1B[/b]"))]])


def test_ascii():
    assert ascii_table(TABLE) == """\
+------+----+-----------+
|      |  A |         B |
+------+----+-----------+
| op   | 10 |         2 |
+------+----+-----------+
| size | 1B | [b]1B[/b] |
+------+----+-----------+"""


def test_an_empty_group_draws_nothing():
    assert ascii_table(Table(("x",), [[], [Row("a", ())]])).count("+---+") == 3
