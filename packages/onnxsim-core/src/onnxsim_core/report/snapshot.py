"""The original before it is simplified: measured from a reading of its own, so simplifying may change everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ir.garbage import paused_gc
from ..ir.read import read_model
from .facts import ModelFacts, infer, measure
from .outline import Outline, outline


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Numbers of a model and, if asked for, its nodes and edges."""

    facts: ModelFacts
    outline: Outline | None = None


def take(source: Any, *, with_outline: bool = False) -> Snapshot:
    """Read a model, infer, count. Weights stay where they are.

    Raises:
        ModelError: the source is not a model, or is damaged.
    """
    with paused_gc():
        model = read_model(source)
        infer(model)
        return Snapshot(measure(model), outline(model) if with_outline else None)
