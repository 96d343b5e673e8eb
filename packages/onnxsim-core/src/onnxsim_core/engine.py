"""The whole engine, loaded: every operator, every pass, and what of onnx they use.

A process that imports the package pays for this once, before its first model.
"""

from __future__ import annotations

from . import (
    check,  # noqa: F401
    ops,
)
from .api import SimplifyResult, simplify
from .fold import backends  # noqa: F401
from .ir import formal, garbage, read, save, stage  # noqa: F401
from .passes import catalog, manager  # noqa: F401

ops.load()
catalog.load()
# The first question about a schema makes onnx register all of them.
formal.form("Identity", formal.newest())

__all__ = ["SimplifyResult", "simplify"]
