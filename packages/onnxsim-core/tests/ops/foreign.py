"""One call of an operator of another domain, judged: what is stated of its results must hold for what comes out."""

from typing import Any

import numpy as np
from ops.judging import Judged, facts, judge

from onnxsim_core import ops
from onnxsim_testkit import model, random_feeds

ops.load()

SIZES = {"b": 2, "s": 3, "l": 5, "p": 6, "m": 3, "k": 4, "n": 5, "h": 8, "w": 9, "v": 7, "q": 4, "t": 6}


def header(opset: int = 21, **domains: int) -> str:
    """The head of a model in ONNX text that imports these domains."""
    imports = {"": opset, "com.microsoft": 1, **domains}
    listed = ", ".join(f'"{name}" : {version}' for name, version in imports.items())
    return f"<ir_version: 10, opset_import: [{listed}]>"


def call(
    op: str, signature: str, inputs: str, outputs: int, attributes: str = "", domain: str = "com.microsoft"
) -> str:
    """A graph of this one node, whose outputs are y0, y1, ..."""
    names = ", ".join(f"y{index}" for index in range(outputs))
    return f"g ({signature}) => () {{ {names} = {domain}.{op}{f'<{attributes}>' if attributes else ''}({inputs}) }}"


def judged(op: str, signature: str, inputs: str, outputs: int, attributes: str = "", **feeds: Any) -> Judged:
    """Run a call of a com.microsoft operator; inputs that are not fed by name are drawn, scales are 0.1."""
    text = header() + call(op, signature, inputs, outputs, attributes)
    drawn = random_feeds(model(text), dims=SIZES)
    drawn = {k: np.array(0.1, v.dtype) if v.ndim == 0 and v.dtype.kind == "f" else v for k, v in drawn.items()}
    return judge(text, {**drawn, **feeds}, kernels=False)


def stated(
    op: str, signature: str, inputs: str, outputs: int, attributes: str = "", domain: str = "com.microsoft"
) -> Judged:
    """What is stated of a call that no runtime here can run."""
    return facts(header(**{domain: 1}) + call(op, signature, inputs, outputs, attributes, domain))
