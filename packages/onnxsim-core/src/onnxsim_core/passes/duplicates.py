"""eliminate_duplicate_initializer: equal constants of one graph are stored once."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Model, Value
from ..ir.same import SAMPLE, glance
from ..ir.tensors import DeferredTensor, same_bytes
from ..rewrite.driver import Driver

WHOLE = 3 * SAMPLE
"""Up to this many bytes a sample is the whole content."""


def merge_duplicate_constants(model: Model, driver: Driver) -> int:
    """Let readers of a constant read the first one with the same dtype, dims and bytes.

    Exact: bytes are compared, so that -0.0 is not 0.0 and every NaN keeps its payload.
    """
    merged = 0
    for graph in model.graphs() if driver.bodies else (model.graph,):
        groups: dict[Any, list[Value]] = {}
        made: dict[Any, list[Value]] = {}
        for value in graph.constants:
            tensor = value.tensor
            if value.is_input or value.outputs or tensor is None:
                continue
            if isinstance(tensor, DeferredTensor):
                if tensor.recipe is not None:
                    made.setdefault((tensor.dtype, tensor.dims, tensor.recipe), []).append(value)
                continue
            groups.setdefault((tensor.dtype, tensor.dims), []).append(value)
        for first, *others in made.values():
            for value in others:
                _unite(value, first, driver)
            merged += len(others)
        for values in groups.values():
            if len(values) > 1:
                for alike in _alike(values):
                    merged += _merge(alike, driver)
    driver.changes += merged
    return merged


def _alike(values: list[Value]) -> list[list[Value]]:
    """Those of equal form that may be equal, by a glance at a few bytes each."""
    groups: dict[bytes, list[Value]] = {}
    for value in values:
        groups.setdefault(glance(value.tensor), []).append(value)  # type: ignore[arg-type]
    return [alike for alike in groups.values() if len(alike) > 1]


def _merge(values: list[Value], driver: Driver) -> int:
    merged = 0
    kept: dict[bytes, list[Value]] = {}
    for value in values:
        tensor = value.tensor
        assert tensor is not None
        rivals = kept.setdefault(tensor.sample(), [])
        for first in rivals:
            if tensor.nbytes <= WHOLE or same_bytes(first.tensor, tensor):  # type: ignore[arg-type]
                _unite(value, first, driver)
                merged += 1
                break
        else:
            rivals.append(value)
    return merged


def _unite(value: Value, first: Value, driver: Driver) -> None:
    driver.substitute(value, first)
    value.graph.constants.pop(value, None)
