"""Small files that ask for enormous work are simplified soon, in little memory."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("resource")

SECONDS = 20
MEBIBYTES = 1024
# All bombs in one process, which says for each how long it took, how far memory grew, and what came of it.
CHILD = """
import json, resource, sys, time, warnings
from hostile.bombs import bombs
from onnxsim_core import OnnxsimError, simplify

warnings.simplefilter("ignore")
found = {name: model.SerializeToString() for name, model in bombs().items()}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
runs = [(name, data, {}) for name, data in found.items()]
runs += [(name + ", inlined", data, {"inline_functions": True}) for name, data in found.items() if "functions" in name]
for name, data, options in runs:
    begun = time.monotonic()
    try:
        result = f"{len(simplify(data, **options).model.graph.node)} nodes"
    except OnnxsimError as error:
        result = f"OnnxsimError: {error}"
    now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([name, len(data), time.monotonic() - begun, (now - peak) >> 10, result]), flush=True)
    peak = now
"""


@pytest.fixture(scope="module")
def outcomes():
    command = [sys.executable, "-c", CHILD]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert child.returncode == 0, child.stderr[-2000:]
    return [json.loads(line) for line in child.stdout.splitlines() if line.startswith("[")]


def test_every_bomb_is_survived(outcomes):
    assert len(outcomes) > 45
    assert [name for name, size, *_ in outcomes if size > 1_500_000] == []
    # The bounds are those of SECURITY.md, far from what is measured: seconds and some megabytes.
    assert [(name, seconds) for name, _, seconds, _, _ in outcomes if seconds > SECONDS] == []
    assert [(name, grown) for name, _, _, grown, _ in outcomes if grown > MEBIBYTES] == []


def test_bombs_are_models_and_stay_models(outcomes):
    """None is refused: a runtime loads them all, and what it runs is not for the simplifier to say, but not to write out."""
    refused = {name: result for name, *_, result in outcomes if result.startswith("OnnxsimError")}
    assert list(refused) == ["functions that double, inlined"]
    assert "inlining the local functions would make" in refused["functions that double, inlined"]
