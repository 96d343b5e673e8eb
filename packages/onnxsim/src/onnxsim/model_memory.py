"""Planning the memory of activations, as scripts written for earlier releases do it."""

import json
from typing import Any

from onnx import ModelProto

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.profile.memory import MemoryPlan, plan_memory
from onnxsim_core.report.facts import infer
from onnxsim_core.report.quantity import bytes_text

__all__ = ["MemoryPlan", "annotate_memory_plan", "plan_activation_memory", "print_memory_plan"]


def plan_activation_memory(model: Any, run_shape_inference: bool = True) -> MemoryPlan:
    """Place all activations of a model (a path, bytes or a ModelProto) in one arena.

    Without `run_shape_inference` only the types count that the model states itself.
    """
    ir = read_model(model)
    if run_shape_inference:
        infer(ir)
    else:
        declared = Inference(ir)
        for graph in ir.graphs():
            for node in graph:
                for value in node.outputs:
                    declared.declared(value)
    return plan_memory(ir)


def print_memory_plan(plan: MemoryPlan) -> None:
    """Print the size of the arena and the place of every tensor in it."""
    print(f"arena: {bytes_text(plan.arena_bytes)}, without reuse: {bytes_text(plan.naive_bytes)}")
    for name, (offset, size) in sorted(plan.tensor_offsets.items(), key=lambda item: item[1]):
        print(f"  {offset:>12} {bytes_text(size):>10}  {name}")
    if plan.unplanned:
        print(f"of unknown size: {', '.join(plan.unplanned)}")
    for label, inner in plan.subgraph_plans.items():
        print(f"{label}:")
        print_memory_plan(inner)


def annotate_memory_plan(model: ModelProto, prefix: str = "onnxsim.memory.") -> ModelProto:
    """A copy of the model whose metadata_props hold `arena_bytes`, `naive_bytes` and, as JSON, `tensor_offsets`."""
    plan = plan_activation_memory(model)
    copy = ModelProto()
    copy.CopyFrom(model)
    known = {entry.key: entry for entry in copy.metadata_props}
    for name, value in (("arena_bytes", str(plan.arena_bytes)), ("naive_bytes", str(plan.naive_bytes)),
                        ("tensor_offsets", json.dumps(plan.tensor_offsets))):  # fmt: skip
        key = f"{prefix}{name}"
        entry = known[key] if key in known else copy.metadata_props.add(key=key)
        entry.value = value
    return copy
