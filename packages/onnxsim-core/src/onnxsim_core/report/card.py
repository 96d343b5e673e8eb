"""A model on a card: what `onnxsim inspect` shows, of one model or of two with what differs marked."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..ir.graph import Model, Value
from ..profile.memory import MemoryPlan, plan_memory
from .facts import ModelFacts, measure
from .outline import type_name, type_text
from .quantity import bytes_text, count_text, density_text
from .table import Row, Table

MARK = "*"


@dataclass(slots=True)
class Card:
    """Everything there is to tell of one model."""

    path: str
    producer: str = ""
    ir_version: int = 0
    opsets: dict[str, int] = field(default_factory=dict)
    functions: int = 0
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    weights: dict[str, int] = field(default_factory=dict)
    facts: ModelFacts = field(default_factory=ModelFacts)
    plan: MemoryPlan = field(default_factory=MemoryPlan)

    def data(self) -> dict[str, Any]:
        """For JSON."""
        plan = self.plan
        return {
            "path": self.path,
            "producer": self.producer,
            "ir_version": self.ir_version,
            "opset_import": self.opsets,
            "functions": self.functions,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "weight_bytes_by_type": self.weights,
            **self.facts.data(),
            "memory_plan": {"arena_bytes": plan.arena_bytes, "naive_bytes": plan.naive_bytes,
                            "planned": len(plan.tensor_offsets), "unplanned": len(plan.unplanned)},
        }

    def sections(self) -> list[dict[str, str]]:
        """What is shown, by label, in groups."""
        facts = self.facts
        return [
            {"Producer": self.producer, "IR version": str(self.ir_version),
             **{f"Opset {domain or 'ai.onnx'}": str(version) for domain, version in sorted(self.opsets.items())},
             "Local functions": str(self.functions)},
            {f"Input {name}": text for name, text in self.inputs.items()},
            {f"Output {name}": text for name, text in self.outputs.items()},
            {**{op: str(count) for op, count in sorted(facts.op_counts.items())}, "Constant": str(facts.constants),
             "All nodes": str(facts.nodes)},
            {"Model Size": bytes_text(facts.model_bytes), "Parameters": count_text(facts.parameters),
             **{f"Weights {kind}": bytes_text(nbytes) for kind, nbytes in sorted(self.weights.items())}},
            {"MACs": facts.macs.text(44), "FLOPs": facts.flops.text(44),
             "Memory Access": facts.memory_access.text(44), "Memory Footprint": facts.memory_footprint.text(44),
             "Memory Plan": self._plan_text(), "Compute Density": density_text(facts.flops, facts.memory_access)},
        ]

    def _plan_text(self) -> str:
        plan = self.plan
        text = f"{bytes_text(plan.arena_bytes)} for {len(plan.tensor_offsets)} tensors"
        return f"{text}, {len(plan.unplanned)} of unknown size" if plan.unplanned else text


def card(path: str, model: Model) -> Card:
    """The card of a model whose values have been inferred."""
    proto = model.proto
    made = Card(path, " ".join((proto.producer_name, proto.producer_version)).strip(), model.ir_version)
    made.opsets = {domain or "ai.onnx": version for domain, version in model.opsets.items()}
    made.functions = len(model.functions)
    made.inputs = {value.name: type_text(value) for value in model.graph.inputs}
    made.outputs = {value.name: type_text(value) for value in model.graph.outputs}
    weights: Counter[str] = Counter()
    for value in _weights(model):
        assert value.tensor is not None
        weights[type_name(value.dtype)] += value.tensor.nbytes
    made.weights = dict(weights)
    made.facts = measure(model)
    made.plan = plan_memory(model)
    return made


def _weights(model: Model) -> list[Value]:
    """One value per stored tensor."""
    return list({id(value.tensor): value for graph in model.graphs() for value in graph.constants
                 if value.tensor is not None}.values())


def card_table(cards: list[Card]) -> Table:
    """One column per card; of two, lines that differ end with a mark."""
    names = [os.path.basename(one.path) for one in cards]
    if len(set(names)) < len(names):
        names = [one.path for one in cards]
    table = Table(("", *names, "") if len(cards) == 2 else ("", *names))
    for groups in zip(*[one.sections() for one in cards], strict=True):
        rows = []
        for label in merged([list(group) for group in groups]):
            cells = [group.get(label, "") for group in groups]
            if len(cards) == 2:
                cells.append(MARK if cells[0] != cells[1] else "")
            rows.append(Row(label, tuple(cells)))
        table.groups.append(rows)
    return table


def differences(cards: list[Card]) -> list[str]:
    """Labels whose values differ between two cards."""
    table = card_table(cards)
    return [row.label for group in table.groups for row in group if row.cells[-1] == MARK] if len(cards) == 2 else []


def merged(lists: list[list[str]]) -> list[str]:
    """All entries, those of the first list in their order, new ones of the second after what they follow there."""
    result = list(lists[0])
    for other in lists[1:]:
        at = 0
        known = set(result)
        for entry in other:
            if entry in known:
                at = result.index(entry) + 1
            else:
                result.insert(at, entry)
                known.add(entry)
                at += 1
    return result
