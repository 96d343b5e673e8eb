"""A model in numbers: what the table, `inspect` and `--json` show. Weights are never read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..infer.engine import Inference
from ..infer.tail import infer_by_schema
from ..ir.graph import Model
from ..ir.tensors import Tensor
from ..profile.cost import Known, model_cost
from ..profile.memory import peak_memory
from .quantity import Quantity, density_of


@dataclass(slots=True)
class ModelFacts:
    """Counts and costs of one model.

    `op_counts` has one entry per operator, bodies included; `constants` counts initializers and Constant nodes,
    `initializer_bytes` and `parameters` their bytes and elements, shared ones once. `model_bytes` is the size of the
    file with its external data.
    """

    op_counts: dict[str, int] = field(default_factory=dict)
    constants: int = 0
    parameters: int = 0
    initializer_bytes: int = 0
    model_bytes: int = 0
    macs: Quantity = Quantity(0)
    flops: Quantity = Quantity(0)
    memory_access: Quantity = Quantity(0, is_bytes=True)
    memory_footprint: Quantity = Quantity(0, is_bytes=True)

    @property
    def nodes(self) -> int:
        """How many nodes there are; constants are none."""
        return sum(self.op_counts.values())

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "nodes": self.nodes,
            "op_counts": dict(sorted(self.op_counts.items())),
            "constants": self.constants,
            "parameters": self.parameters,
            "initializer_bytes": self.initializer_bytes,
            "model_bytes": self.model_bytes,
            "macs": self.macs.data(),
            "flops": self.flops.data(),
            "memory_access": self.memory_access.data(),
            "memory_footprint": self.memory_footprint.data(),
            "compute_density": density_of(self.flops, self.memory_access),
        }


def infer(model: Model) -> None:
    """State what can be known of every value, as simplifying would; initializers among the inputs are constants."""
    from .. import ops
    from ..passes.prepare import drop_default_inputs

    ops.load()
    drop_default_inputs(model.graph)
    Inference(model, tail=infer_by_schema).walk(model.graph)


def measure(model: Model, model_bytes: int | None = None) -> ModelFacts:
    """Count; the model's values carry what is known of them (after `infer`, or after simplifying).

    `model_bytes` is the size of a model that is no longer what was read.
    """
    facts = ModelFacts()
    counts: Counter[str] = Counter()
    seen: dict[Tensor, None] = {}
    for graph in model.graphs():
        for node in graph:
            counts[f"{node.domain}.{node.op_type}" if node.domain else node.op_type] += 1
        for value in graph.constants:
            if value.tensor is not None:
                facts.constants += 1
                seen[value.tensor] = None
        facts.constants += len(graph.sparse)
    facts.op_counts = dict(counts)
    for tensor in seen:
        facts.parameters += tensor.size
        facts.initializer_bytes += tensor.nbytes
    facts.model_bytes = stored_bytes(model) if model_bytes is None else model_bytes
    known: Known = {}
    cost = model_cost(model, known)
    table = model.symbols
    facts.macs, facts.flops = Quantity.of(cost.macs, table), Quantity.of(cost.flops, table)
    facts.memory_access = Quantity.of(cost.memory_access, table, is_bytes=True)
    facts.memory_footprint = Quantity.of(peak_memory(model, known), table, is_bytes=True)
    return facts


def stored_bytes(model: Model) -> int:
    """Bytes of a model as it was read, with the external data it refers to."""
    own = model.files[0] if model.files else None
    spans = set()
    for graph in model.graphs():
        for value in graph.constants:
            span = value.tensor.span() if value.tensor is not None else None
            if span is not None and (own is None or span[0].identity != own.identity):
                spans.add((span[0].identity, span[1], span[2]))
    total: int = model.proto.ByteSize() if own is None else own.size
    return total + sum(length for _, _, length in spans)
