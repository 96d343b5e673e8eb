import contextlib
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from onnxsim_core.cli import signals as module
from onnxsim_core.cli.signals import orderly_exit

SENT = [signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def default_handlers():
    before = {number: signal.signal(number, signal.SIG_DFL) for number in SENT}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SENT)
def test_a_signal_becomes_an_exit(number):
    with pytest.raises(SystemExit) as caught, orderly_exit():
        signal.raise_signal(number)

    assert caught.value.code == 128 + number
    assert [signal.getsignal(one) for one in SENT] == [signal.SIG_DFL] * 2


def test_further_signals_do_not_disturb_the_clean_up():
    cleaned = []
    with pytest.raises(SystemExit), orderly_exit():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)
            cleaned.append(True)

    assert cleaned == [True]


@pytest.mark.parametrize("theirs", [signal.SIG_IGN, lambda number, frame: None])
def test_a_handler_that_was_set_stays(theirs):
    signal.signal(signal.SIGHUP, theirs)
    with orderly_exit():
        assert signal.getsignal(signal.SIGHUP) == theirs
        assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL

    assert [signal.getsignal(one) for one in SENT] == [signal.SIG_DFL, theirs]


def test_an_interrupt_stays_one():
    with pytest.raises(KeyboardInterrupt), orderly_exit():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_somebody_swallowed_can_be_sent_again(monkeypatch):
    clock = iter([100.0, 100.0, 102.9, 103.1, 103.1])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with pytest.raises(SystemExit), orderly_exit():
        with contextlib.suppress(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)


def test_an_import_is_finished_first(tmp_path, monkeypatch):
    """A module written in C would make an ImportError of it."""
    (tmp_path / "slow_to_load.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGTERM)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit) as caught, orderly_exit():
        import slow_to_load

        assert slow_to_load.whole
        time.sleep(60)

    assert caught.value.code == 128 + signal.SIGTERM


def test_other_threads_change_nothing():
    found = []

    def look():
        with orderly_exit():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

    assert found == [signal.SIG_DFL]
