"""`onnxsim.model_info`, as scripts written for earlier releases use it: a model in numbers, and two side by side."""

from typing import Any

from onnx import ModelProto

from onnxsim_core.report.diff import GraphDiff, diff, diff_lines
from onnxsim_core.report.facts import ModelFacts
from onnxsim_core.report.quantity import density_of
from onnxsim_core.report.snapshot import take
from onnxsim_core.report.table import ascii_table, simplification_table

__all__ = [
    "GraphDiff",
    "ModelInfo",
    "annotate_metadata",
    "diff_graphs",
    "print_graph_diff",
    "print_simplifying_info",
]

# A number, or a formula over the named sizes of the model; None when nothing is known.
Amount = int | str | None


class ModelInfo:
    """Counts and costs of a model: a path, bytes or a ModelProto, which is not changed."""

    def __init__(self, model: Any) -> None:
        facts = take(model).facts
        self.facts: ModelFacts = facts
        self.op_nums: dict[str, int] = {**facts.op_counts, "Constant": facts.constants}
        self.model_size: int = facts.model_bytes
        self.initializer_count: int = facts.constants
        self.macs: Amount = facts.macs.data()
        self.flops: Amount = facts.flops.data()
        self.mem_access: Amount = facts.memory_access.data()
        self.memory_footprint: Amount = facts.memory_footprint.data()
        self.compute_density: float | None = density_of(facts.flops, facts.memory_access)


def print_simplifying_info(model_ori: Any, model_opt: Any) -> None:
    """Print the table of the original beside the simplified model."""
    print(ascii_table(simplification_table(take(model_ori).facts, take(model_opt).facts)))


def diff_graphs(model_ori: Any, model_opt: Any) -> GraphDiff:
    """Nodes and values that only one of two models has, and nodes that changed; a node is known by what it makes."""
    before, after = (take(model, with_outline=True).outline for model in (model_ori, model_opt))
    assert before is not None and after is not None
    return diff(before, after)


def print_graph_diff(model_ori: Any, model_opt: Any, limit: int = 50) -> None:
    """Print `diff_graphs`, at most `limit` lines of a kind (0: all)."""
    print("\n".join(diff_lines(diff_graphs(model_ori, model_opt), limit)))


def annotate_metadata(model: ModelProto, prefix: str = "onnxsim.") -> ModelProto:
    """A copy of the model whose metadata_props hold its counts and costs, each under `prefix` and its name."""
    info = ModelInfo(model)
    copy = ModelProto()
    copy.CopyFrom(model)
    known = {entry.key: entry for entry in copy.metadata_props}
    for name in ("macs", "flops", "mem_access", "memory_footprint", "compute_density", "model_size"):
        value = getattr(info, name)
        if value is None:
            continue
        key = f"{prefix}{name}"
        entry = known[key] if key in known else copy.metadata_props.add(key=key)
        entry.value = str(value)
    return copy
