import io
import json
import os
import sys

import onnxsim_core.cli.terminal as module
from onnxsim_core.cli.terminal import Terminal, drawn, lenient_output, one_line
from onnxsim_core.report.table import Row, Table


def table():
    return Table(("", "A"), [[Row("x", ("1",), True)]])


def test_results_go_to_stdout_and_warnings_to_stderr(capsys):
    terminal = Terminal(label="m.onnx")
    terminal.say("result")
    terminal.table(table())
    terminal.detail("more")
    terminal.warn("odd\nthing")
    terminal.fail("bad")
    terminal.json({"a": 1})
    out, err = capsys.readouterr()

    assert out == "result\n+---+---+\n|   | A |\n+---+---+\n| x | 1 |\n+---+---+\n"
    assert err == "onnxsim: warning: m.onnx: odd thing\nonnxsim: error: bad\n"


def test_quiet_leaves_warnings_and_errors(capsys):
    terminal = Terminal(quiet=True)
    terminal.say("result")
    terminal.table(table())
    terminal.warn("odd")

    assert capsys.readouterr() == ("", "onnxsim: warning: odd\n")


def test_json_is_all_there_is_on_stdout(capsys):
    terminal = Terminal(as_json=True)
    terminal.say("result")
    terminal.json({"a": [1]})

    assert json.loads(capsys.readouterr().out) == {"a": [1]}


def test_verbose_shows_details(capsys):
    Terminal(verbose=True).detail("more")

    assert capsys.readouterr().err == "more\n"


class Tty(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        raise OSError


def test_without_a_size_of_the_terminal_the_table_is_ascii(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Tty())

    assert drawn(table()).startswith("+---")


def test_no_color_means_ascii(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", Tty())
    monkeypatch.setattr(module.os, "get_terminal_size", lambda *_: (_ for _ in ()).throw(AssertionError("asked")))

    assert drawn(table()).startswith("+---")


def test_names_the_encoding_lacks_are_escaped(monkeypatch):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    lenient_output()
    Terminal().say("caf\u00e9")
    stream.flush()

    assert raw.getvalue().strip() == b"caf\\xe9"


def test_what_is_printed_where_streams_are_closed_is_lost(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    lenient_output()
    Terminal(as_json=True).json({"caf\u00e9": 1})
    Terminal().table(table())
    Terminal().warn("x")

    assert {sys.stdout.name, sys.stderr.name} == {os.devnull}
    sys.stdout.close()
    sys.stderr.close()


def test_one_line():
    assert one_line(" a\n b  c ") == "a b c"
