"""Nodes that are better not run while folding: what could end the process, or never end.

A runtime is given what a file says, and a file may say anything. onnxruntime 1.32 was found to end the process at some
nodes; those and their like stay in the graph.
"""

from __future__ import annotations

from ..ir.dtypes import is_int
from ..ir.graph import Node, Value

TRIPS = 10_000
"""Loops that may run more often, one in another taken together, are not run here."""


def dangerous(node: Node, trips: int = 1) -> str | None:
    """Why running a node could end the process, or never end; None when nothing speaks against it.

    `trips` is how often the loops around it run.
    """
    op_type = node.op_type
    if op_type in ("Div", "Mod"):
        if _may_divide_by_zero(node.input(1)):
            return "it divides an integer by zero"
    elif op_type == "GatherND":
        if node.attribute("batch_dims", 0) < 0:
            return "its number of batch axes is negative"
    elif op_type == "Unique":
        if _is_empty(node.input(0)):
            return "its input has no elements"
    elif op_type == "Loop":
        limit = node.input(0)
        known = None if limit is None or not limit.is_constant else limit.tensor
        most = TRIPS + 1 if known is None else int(known.numpy().max(initial=0))
        trips *= max(most, 1)
        if trips > TRIPS:
            return f"it is a Loop without a limit of at most {TRIPS} runs"
    for body in (node.bodies or {}).values():
        for inner in body:
            danger = dangerous(inner, trips)
            if danger is not None:
                return danger
    return None


def _may_divide_by_zero(divisor: Value | None) -> bool:
    """Is it an integer, or of no known type, that is or may be zero somewhere?"""
    if divisor is None or divisor.dtype and not is_int(divisor.dtype):
        return False
    return divisor.tensor is None or not divisor.tensor.numpy().all()


def _is_empty(value: Value | None) -> bool:
    return value is not None and value.shape is not None and 0 in value.shape
