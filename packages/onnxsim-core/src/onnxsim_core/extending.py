"""Beside `simplify`: inlining local functions, sharing schemas with onnx, weights for rewriters, files of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .infer.export import export_onnx_schemas
from .infer.registered import import_onnx_schemas
from .ir.exchange import load_tensor
from .patterns.files import load_rules

if TYPE_CHECKING:
    from onnx import ModelProto

BODIES = frozenset({"If", "Loop", "Scan", "SequenceMap"})


def inline_local_functions(
    model: Any, *, convert_version: bool = True, providers: Sequence[Any] | None = None,
    skipped_optimizers: Sequence[str] | None = None, extra_optimizers: Sequence[str] | None = None,
) -> ModelProto:
    """Put the bodies of the model's local functions in the place of their calls and simplify the result.

    Args:
        model: as for `simplify`. A ModelProto without functions is given back as it is.
        convert_version: convert functions that are written for another operator set than the model; without it one
            whose operators mean something else there is an error.

    Raises:
        ValueError: operators with bodies are left: what asks for a flat model cannot take it.
        ModelError: a function calls itself, or is written for another operator set and must not be converted.
    """
    from .api import simplify
    from .errors import ModelError
    from .functions.body import label
    from .ir.read import read_model
    from .versions.fit import means_the_same

    read = read_model(model)
    if not read.functions and hasattr(model, "SerializeToString"):
        return model  # type: ignore[no-any-return]
    if not convert_version:
        for key, function in read.functions.items():
            opset = next((entry.version for entry in function.proto.opset_import
                          if entry.domain in ("", "ai.onnx")), read.opset())
            for node in function.proto.node:
                if node.domain in ("", "ai.onnx") and not means_the_same(node, opset, read.opset()):
                    raise ModelError(f"it is written for opset {opset}, and {node.op_type} is another in opset "
                                     f"{read.opset()} of the model", where=label(key),
                                     hint="convert_version=True converts it")
    result = simplify(model, inline_functions=True, providers=providers, skipped_optimizers=skipped_optimizers,
                      extra_optimizers=extra_optimizers)
    for graph in result.graph.graphs():
        for node in graph:
            if node.op_type in BODIES and not node.domain:
                raise ValueError(f"{node.where()}: {node.op_type} has a body, so the model is not flat")
    return result.model


__all__ = ["export_onnx_schemas", "import_onnx_schemas", "inline_local_functions", "load_rules", "load_tensor"]
