"""The user's own rewriter: called each time nothing else is left to do, until it changes nothing."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from ..ir.exchange import Exchange
from ..ir.graph import Model
from ..versions.history import since, versions
from .state import States


class Rewriter:
    """Calls `function(ModelProto) -> ModelProto | None | False` at most once for each state of the model.

    A state is what the model computes with; names, order and documentation are not part of it, so a rewriter that only
    writes them anew comes to an end. What it raises goes to the caller as it is.
    """

    def __init__(self, function: Any, exchange: Exchange) -> None:
        self.function = function
        self.exchange = exchange
        self.states = States()
        self.seen: set[int] = set()
        self.last = -1
        self.warnings: list[str] = []

    def change(self, model: Model) -> bool:
        """Let the rewriter change the model in place; False when nothing came of it.

        Raises:
            TypeError: it gave back something else than a ModelProto, None or False.
            ModelError: what it gave back is not a valid model.
        """
        state = self.states.of(model)
        if state in self.seen:
            if state != self.last:
                self.warnings.append("custom_rewriter and the passes undo each other: it was not called again")
            return False
        self.seen.add(state)
        proto = self.exchange.hand_out(model)
        before = proto.SerializeToString(deterministic=True)
        result = self.function(proto)
        if result is False:
            return False
        after = proto if result is None else _model(result)
        if after.SerializeToString(deterministic=True) == before:
            return False
        known = missing_operators(model)
        changed = self.exchange.take_back(after)
        check(changed, known)
        # Other names for the same: the rounds start anew on them, but the rewriter has nothing more to do.
        self.last = self.states.of(changed)
        adopt(model, changed)
        return True


def _model(result: Any) -> Any:
    if hasattr(result, "SerializeToString") and hasattr(result, "opset_import") and hasattr(result, "graph"):
        return result
    raise TypeError("custom_rewriter gives back a new onnx.ModelProto, None when it changed the one it got, or False "
                    f"when it changed nothing, not {result!r}"[:300])


def adopt(model: Model, other: Model) -> None:
    """Make a model what another one is, keeping the files it was read from."""
    for graph in other.graphs():
        graph.model = model
    for name in ("graph", "proto", "opsets", "functions", "symbols", "names", "ir_version", "notes", "_counter"):
        setattr(model, name, getattr(other, name))


def missing_operators(model: Model) -> dict[tuple[str, str], str]:
    """Operators that the model uses and its operator sets do not have, with a place where."""
    found: dict[tuple[str, str], str] = {}
    opset = model.opset()
    called = {key[:2] for key in model.functions}
    for graph in model.graphs():
        for node in graph:
            key = (node.domain, node.op_type)
            if key in found or key in called:
                continue
            gone = node.domain not in model.opsets if node.domain else \
                bool(versions(node.op_type)) and not since(node.op_type, opset)
            if gone:
                found[key] = node.where()
    return found


def check(model: Model, known: dict[tuple[str, str], str]) -> None:
    """Is every operator one that the model's operator sets have, or was it there before?

    Raises:
        ModelError: it names the operator and says what to do.
    """
    for (domain, op_type), where in missing_operators(model).items():
        if (domain, op_type) in known:
            continue
        if domain:
            raise ModelError(f"custom_rewriter made {op_type} of domain {domain!r}, which the model does not import",
                             where=where, hint="add the domain to opset_import")
        first = versions(op_type)[0]
        raise ModelError(f"custom_rewriter made {op_type}, which exists since opset {first}; the model has "
                         f"{model.opset()}", where=where, hint=f"set target_opset_version to {first} or more")
