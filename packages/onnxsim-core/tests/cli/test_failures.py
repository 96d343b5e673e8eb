import io
import os
import sys

import pytest

from onnxsim_core.cli.failures import attempt, guarded, message
from onnxsim_core.errors import CheckError, ModelError, OptionError


def raising(error):
    def work():
        raise error

    return work


@pytest.mark.parametrize(("error", "code", "text"), [
    (ModelError("is empty", where="a.onnx"), 1, "error: a.onnx: is empty"),
    (OptionError("no such pass", hint="see the list"), 2, "error: no such pass (see the list)"),
    (CheckError("differs"), 3, "error: differs"),
    (FileNotFoundError(2, "No such file or directory", "a.onnx"), 1, "error: a.onnx: No such file or directory"),
    (OSError("odd"), 1, "error: odd"),
    (MemoryError(), 1, "error: out of memory"),
    (KeyError("x\ny"), 1, "error: KeyError: 'x\\ny' (unexpected; -v shows where it happened)"),
    (ZeroDivisionError(), 1, "error: ZeroDivisionError (unexpected; -v shows where it happened)"),
    (KeyboardInterrupt(), 130, "interrupted"),
    (SystemExit(0), 0, ""),
    (SystemExit(2), 2, ""),
    (SystemExit("text"), 1, ""),
    (SystemExit(None), 0, ""),
])
def test_each_error_has_a_code_and_a_line(error, code, text):
    assert attempt(raising(error)) == (code, text)


def test_a_message_is_one_line():
    assert message(ValueError("a\n  b\n")) == "ValueError: a b (unexpected; -v shows where it happened)"


def test_success_gives_the_code_of_the_work(capsys):
    assert guarded(lambda: 3) == 3
    assert capsys.readouterr() == ("", "")


def test_the_traceback_is_shown_on_request_only(capsys):
    assert guarded(raising(KeyError("x"))) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert guarded(raising(KeyError("x")), verbose=True) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_closed_pipe_is_quiet(monkeypatch, capsys):
    with open(os.devnull, "w") as sink:
        monkeypatch.setattr(sys, "stdout", sink)
        code = guarded(raising(BrokenPipeError()))

    assert code == 141
    assert capsys.readouterr().err == ""


def test_a_pipe_that_closes_at_the_last_flush_is_quiet(monkeypatch):
    class Closed(io.StringIO):
        def flush(self):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())

    assert guarded(lambda: 0) == 141
