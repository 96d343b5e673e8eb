import rich.markup

from onnxsim_core.report.table import Row, Table, rich_table


def test_rich_shows_the_same_text_and_marks_what_is_better(monkeypatch):
    """F44: rich once took square brackets in the text for its own markup."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    hostile = "[b]1B[/b]"
    assert rich.markup.render(hostile).plain == "1B"

    text = rich_table(Table(("", "A", "B"), [[Row("op", ("10", "2"), True)], [Row(hostile, ("1B", hostile))]]), 80)

    assert text.count(hostile) == 2
    assert "\x1b[1;32m" in text  # bold green
