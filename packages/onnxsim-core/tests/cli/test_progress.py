import io
import time

from onnxsim_core.cli import progress as module
from onnxsim_core.cli.progress import Progress


class Stream(io.StringIO):
    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


def test_the_line_names_the_stage():
    progress = Progress("m.onnx", Stream(True))
    said = [progress.text()]
    for step in (("reading", 0, 0), ("simplifying", 2, 0), ("checking", 0, 3), ("checking", 1, 3),
                 ("writing", 1 << 20, 3 << 20)):
        progress.step(*step)
        said.append(progress.text())

    assert [text.removesuffix(" (0 s)") for text in said] == [
        "m.onnx: starting", "m.onnx: reading", "m.onnx: simplifying, round 2", "m.onnx: checking 0/3",
        "m.onnx: checking 1/3", "m.onnx: writing 1.0MiB of 3.0MiB"]


def test_it_is_drawn_on_a_terminal_and_cleared(monkeypatch):
    monkeypatch.setattr(module, "_SHOWN_AFTER_S", 0.0)
    monkeypatch.setattr(module, "_EVERY_S", 0.001)
    stream = Stream(True)
    with Progress("m.onnx", stream) as progress:
        progress.step("reading", 0, 0)
        deadline = time.monotonic() + 10
        while "reading" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)

    assert "m.onnx: reading" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_short_work_draws_nothing():
    stream = Stream(True)
    with Progress("m.onnx", stream):
        pass

    assert stream.getvalue() == ""


def test_nothing_is_drawn_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(module, "_SHOWN_AFTER_S", 0.0)
    for stream, drawn in ((Stream(False), True), (Stream(True), False)):
        with Progress("m.onnx", stream, drawn=drawn) as progress:
            progress.step("reading", 0, 0)
            assert progress._thread is None

        assert stream.getvalue() == ""
