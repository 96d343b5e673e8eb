"""Whole simplified graphs against the stored ones, so that a change of what comes out is seen and meant.

Each `<name>.txt` is a model in ONNX text, `<name>.simplified.txt` what simplify makes of it. Delete a stored result and
run the session to have it written anew; look at the difference, and add a `graph` changelog fragment.
"""

from pathlib import Path

import onnx.printer
import pytest

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs, model, random_feeds

pytestmark = pytest.mark.golden

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt") if not path.name.endswith(".simplified.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_the_simplified_graph_is_the_stored_one(name):
    simplified, _ = simplify(model((FOLDER / f"{name}.txt").read_text(encoding="utf-8"), check=True))
    text = onnx.printer.to_text(simplified.graph) + "\n"
    stored = FOLDER / f"{name}.simplified.txt"
    if not stored.exists():
        stored.write_text(text, encoding="utf-8")
        pytest.fail(f"{stored.name} was not there; it is written now, look whether it is right")

    assert text == stored.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "repeated_and_random"])
def test_it_computes_the_same(name):
    original = model((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    simplified, _ = simplify(original)

    assert_same_outputs(original, simplified, random_feeds(original, 0), rtol=1e-5, atol=1e-6)
