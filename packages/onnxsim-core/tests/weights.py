"""Random weights for tests of the fusions, and graphs in ONNX text that hold them."""

from __future__ import annotations

import numpy as np

TYPES = {"float32": "float", "float64": "double"}
"""What ONNX text calls the types it does not name as numpy does."""


def drawn(*shape: int, seed: int = 0, low: float = -1.0, high: float = 1.0, dtype: str = "float32") -> np.ndarray:
    """Uniform numbers, the same for the same seed."""
    return np.random.default_rng([seed, *shape]).uniform(low, high, shape).astype(dtype)


def given(text: str, **arrays: np.ndarray) -> str:
    """A graph in ONNX text with these initializers."""
    if not arrays:
        return text
    head, body = text.split("{", 1)
    return f"{head}<{', '.join(_declared(name, np.asarray(array)) for name, array in arrays.items())}> {{{body}"


def _declared(name: str, array: np.ndarray) -> str:
    dims = ",".join(str(size) for size in array.shape)
    if array.dtype == np.float16:
        numbers = ", ".join(str(bits) for bits in array.reshape(-1).view(np.uint16).tolist())
        return f"float16{f'[{dims}]' if array.ndim else ''} {name} = {{{numbers}}}"
    numbers = ", ".join(str(int(v)) if array.dtype.kind in "iub" else repr(float(v)) for v in array.reshape(-1))
    return f"{TYPES.get(str(array.dtype), array.dtype)}{f'[{dims}]' if array.ndim else ''} {name} = {{{numbers}}}"
