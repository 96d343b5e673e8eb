"""The command is told to stop while copies of the model lie beside the output: none is left."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest

from onnxsim_core.cli.jobs import jobs_of
from onnxsim_core.cli.main import build_parser
from onnxsim_core.cli.many import _answers
from onnxsim_testkit import model

OLD = b"what was there before"
COMMAND = "import sys; from onnxsim_command import main; sys.exit(main())"
STOPS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


def start(*words):
    """The command in a process group of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", COMMAND, *map(str, words)], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip


def copies(folder):
    return [path for path in folder.rglob(".onnxsim-*") if path.is_dir()]


def wait_for_copies(folder, count, child):
    """Comparing goes on for hours; a copy lies there all the while."""
    end = time.monotonic() + 60
    while sum(any(copy.glob("*.onnx")) for copy in copies(folder)) < count:
        assert child is None or child.poll() is None, child.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.2)  # as far as comparing


@pytest.fixture
def folder(tmp_path):
    proto = model("g (float[n,512] x) => (float[n,1024] y) { i = Identity(x) y = MatMul(i, w) }",
                  initializers={"w": np.ones((512, 1024), np.float32)})  # fmt: skip
    (tmp_path / "in").mkdir()
    for name in ("a.onnx", "b.onnx", "c.onnx"):
        onnx.save(proto, tmp_path / "in" / name)
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.mark.parametrize("number", STOPS)
def test_one_model(folder, number):
    target = folder / "out" / "a.onnx"
    target.write_bytes(OLD)
    child = start(folder / "in" / "a.onnx", target, 10**6, "--no-plugins")
    wait_for_copies(folder, 1, child)

    child.send_signal(number)
    out, err = child.communicate(timeout=60)

    assert (child.returncode, out, "Traceback" in err) == (128 + number, "", False), err
    assert [path.name for path in (folder / "out").iterdir()] == ["a.onnx"] and target.read_bytes() == OLD


@pytest.mark.parametrize("to", ["parent", "group"])
@pytest.mark.parametrize("number", STOPS)
def test_many_models(folder, number, to):
    child = start(folder / "in", "-o", folder / "out", "-j", 2, 10**6, "--no-plugins")
    wait_for_copies(folder / "out", 2, child)

    (os.kill if to == "parent" else os.killpg)(child.pid, number)
    _, err = child.communicate(timeout=60)  # returns when the workers are gone too: they hold the same pipe

    assert child.returncode == 128 + number, err
    assert "Traceback" not in err
    assert list((folder / "out").iterdir()) == []


def test_one_worker(folder):
    """Its model is lost as if it had crashed, and nothing is left either."""
    args = build_parser().parse([str(folder / "in" / "a.onnx"), "-o", str(folder / "out"), "1000000", "--no-plugins"])

    def stop():
        wait_for_copies(folder / "out", 1, None)
        for worker in multiprocessing.active_children():
            worker.terminate()

    thread = threading.Thread(target=stop)
    thread.start()
    ((_, answer),) = _answers(jobs_of(args), args)
    thread.join()

    assert (answer["code"], answer["error"]) == (1, "its process ended with exit code 143")
    assert list((folder / "out").iterdir()) == []
