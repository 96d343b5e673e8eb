"""Graphs in ONNX text written for one operator set, and what conversion makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from rewriting import DIMS, outline

from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.ops import load as load_ops
from onnxsim_core.versions.convert import Conversion
from onnxsim_testkit import assert_same_outputs, model, random_feeds, run
from onnxsim_testkit.models import oldest_ir_version


def conversion(before: str | onnx.ModelProto, source: int, target: int, **options: Any) -> Conversion:
    """The conversion of a graph, done; nothing else is simplified."""
    load_ops()
    proto = model(before, opset=source, **options) if isinstance(before, str) else before
    return Conversion(read_model(proto.SerializeToString()), target).run()


def converted(before: str | onnx.ModelProto, source: int, target: int, **options: Any) -> onnx.ModelProto:
    """The graph as it is written for the target."""
    done = conversion(before, source, target, **options)
    assert not done.gaps
    result = model_proto(done.model)
    result.ir_version = max(4, result.ir_version, oldest_ir_version(target))
    return result


def assert_converts(before: str, after: str, *, source: int, target: int, feeds: dict[str, np.ndarray] | None = None,
                    rtol: float = 0.0, atol: float = 0.0, runs: bool = True, **options: Any) -> onnx.ModelProto:
    """`before` becomes exactly `after`, valid at the target, and with the same outputs within the bound."""
    original = model(before, opset=source, **options)
    result = converted(original, source, target)
    assert {entry.domain: entry.version for entry in result.opset_import}[""] == target
    wanted = model(after, opset=target)
    assert outline(result) == outline(wanted), f"\n{onnx.printer.to_text(result.graph)}\n  is not\n{after}"
    onnx.checker.check_model(result, full_check=True)
    if runs:
        data = random_feeds(original, dims=DIMS) if feeds is None else feeds
        assert_same_outputs(original, result, data, rtol=rtol, atol=atol)
    return result


def assert_refused(before: str, reason: str, *, source: int, target: int, **options: Any) -> None:
    """The graph cannot be written for the target, for this reason and no other."""
    gaps = conversion(before, source, target, **options).gaps
    assert len(gaps) == 1 and gaps[0].endswith(f": {reason}"), gaps


def outputs_of(proto: onnx.ModelProto, feeds: dict[str, Any]) -> dict[str, Any]:
    """What a model computes."""
    return run(proto, feeds)
