"""Whether two values differ, and by how much a value may."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from .case import RandomModel
from .renaming import all_graphs

# Relative bounds for what is computed with rounding, by the narrowest float type in the model.
BOUNDS = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-4}
FLOAT_TYPES = {"float16": onnx.TensorProto.FLOAT16, "bfloat16": onnx.TensorProto.BFLOAT16}


def narrowest(model: onnx.ModelProto) -> float:
    """The bound for the narrowest float type that occurs in a model."""
    text = onnx.printer.to_text(model)
    found = [name for name in ("bfloat16", "float16") if name in text or f"to: int = {FLOAT_TYPES[name]}" in text]
    return max((BOUNDS[name] for name in found), default=0.0)


def difference(actual: Any, expected: Any, *, exact: bool, spread: Any = None, least: float = 0.0) -> str:
    """What differs, or nothing.

    `spread` is by how much the expected value moves when inputs move by rounding, `least` a lower limit for the bound.
    """
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{actual!r} instead of {expected!r}"
        pairs = zip(actual, expected, strict=True)
        return next((fault for pair in pairs if (fault := difference(*pair, exact=exact, least=least))), "")
    if expected is None or actual is None:
        return "" if actual is expected else f"{actual!r} instead of {expected!r}"
    left, right = np.asarray(actual), np.asarray(expected)
    if left.dtype != right.dtype and left.dtype.kind not in "OU":
        return f"type {left.dtype} instead of {right.dtype}"
    if left.shape != right.shape:
        return f"shape {left.shape} instead of {right.shape}"
    if right.dtype.kind == "c":
        left, right = np.stack([left.real, left.imag]), np.stack([right.real, right.imag])
    if right.dtype.kind in "biuOUS" or right.dtype.name in ("int4", "uint4", "int2", "uint2"):
        differs = np.asarray(left != right)
        if not exact and right.dtype.kind not in "OUS" and differs.any() and spread is not None:
            differs = differs & (np.asarray(spread) == 0)
    else:
        wide, other = left.astype(np.float64), right.astype(np.float64)
        with np.errstate(all="ignore"):
            differs = ~((wide == other) | (np.isnan(wide) & np.isnan(other)))
            if not exact:
                bound = max(BOUNDS.get(right.dtype.name, 0.25), least)
                finite = np.abs(other[np.isfinite(other)])
                scale = max(1.0, float(finite.max())) if finite.size else 1.0
                allowed = bound * (np.abs(other) + 0.1 * scale) + (0.0 if spread is None else 30.0 * np.asarray(spread))
                differs &= ~(np.abs(wide - other) <= np.nan_to_num(allowed, nan=np.inf))
    if not differs.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(differs)[0])
    return f"{int(differs.sum())} of {differs.size} elements, {list(place)}: {left[place]!r} instead of {right[place]!r}"


def sensitivity(
    case: RandomModel, feeds: Mapping[str, Any], expected: Mapping[str, Any], rounds: int
) -> dict[str, Any]:
    """How much each output moves when every float that goes in moves by about its rounding.

    Each round moves them another way. In a few rounds, elements that stand together may move together by chance, so that
    their distance seems to be certain.
    """
    found: dict[str, Any] = {}
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        moved = onnx.ModelProto()
        moved.CopyFrom(case.model)
        for graph in all_graphs(moved.graph):
            for tensor in [*graph.initializer, *_constants(graph)]:
                array = numpy_helper.to_array(tensor)
                tensor.CopyFrom(numpy_helper.from_array(_jittered(array, rng), tensor.name))
        try:
            outputs = case.run(moved, {name: _jittered(value, rng) for name, value in feeds.items()})
        except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
            continue
        for name, value in outputs.items():
            wanted = expected[name]
            if isinstance(value, np.ndarray) and isinstance(wanted, np.ndarray) and value.shape == wanted.shape:
                if value.dtype.kind in "OUS":
                    continue
                with np.errstate(all="ignore"):
                    gap = np.abs(value.astype(np.float64) - wanted.astype(np.float64))
                    gap = np.where(value.astype(np.float64) == wanted.astype(np.float64), 0.0, gap)
                found[name] = np.fmax(found.get(name, 0.0), np.nan_to_num(gap, nan=np.inf))
            elif isinstance(value, np.ndarray) and isinstance(wanted, np.ndarray):
                found[name] = np.full(wanted.shape, np.inf)
    return found


def _jittered(value: Any, rng: np.random.Generator) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.name not in BOUNDS:
        return value
    amount = {"float16": 1e-3, "bfloat16": 1e-2}.get(value.dtype.name, 1e-6)
    noise = rng.choice((-amount, amount), size=value.shape)
    with np.errstate(all="ignore"):
        return (value.astype(np.float64) * (1 + noise)).astype(value.dtype).reshape(value.shape)


def _constants(graph: onnx.GraphProto) -> list[onnx.TensorProto]:
    return [a.t for node in graph.node if node.op_type == "Constant" for a in node.attribute if a.name == "value"]
