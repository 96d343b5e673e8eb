"""Running the command inside the test's own process."""

from __future__ import annotations

import contextlib
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from onnxsim_core.cli.main import main
from onnxsim_testkit import model

RESHAPE = """g (float[2,3,4] x) => (float[2,4,3] y) {
    s = Shape(x) a = Gather<axis=0>(s, zero) b = Gather<axis=0>(s, two) c = Gather<axis=0>(s, one)
    d = Unsqueeze(a, zero1) e = Unsqueeze(b, zero1) f = Unsqueeze(c, zero1) t = Concat<axis=0>(d, e, f)
    y = Reshape(x, t) }"""
SIZES = {"zero": np.array(0), "one": np.array(1), "two": np.array(2), "zero1": np.array([0])}


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def onnxsim(*words: object) -> Ran:
    """Run `onnxsim` with these words."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    return Ran(code, out.getvalue(), err.getvalue())


def reshape_model(path: Path) -> Path:
    """Write a model of nine nodes that is one Reshape, and give its path."""
    onnx.save(model(RESHAPE, initializers=SIZES), path)
    return path


def ops_of(path: Path) -> list[str]:
    """The operators of a written model."""
    return [node.op_type for node in onnx.load(path).graph.node]


def dying_worker(connection: Any, args: Any) -> None:
    """A worker process that dies over its first model."""
    connection.recv()
    os._exit(7)


def assert_one_line(ran: Ran, code: int, *parts: str) -> None:
    """The command failed as it should: the exit code, and one line on stderr with these parts."""
    assert ran.code == code, ran
    assert ran.err.count("\n") == 1 and ran.err.startswith("onnxsim: error: "), ran.err
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in ran.err, ran.err
