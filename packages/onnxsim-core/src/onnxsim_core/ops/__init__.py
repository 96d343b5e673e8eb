"""Operators: the shape rule and the fold kernel of each stand together, by family."""

from __future__ import annotations

from functools import cache
from importlib import import_module

FAMILIES = (
    "elementwise", "activation", "arithmetic", "comparison", "cast", "reduction", "layout", "joining", "reshape",
    "repeat", "pad", "blocks", "resize", "along", "where", "indexing", "slicing", "picking", "scatter", "ranking",
    "linear", "einsum", "attention", "text", "convolution", "pooling", "normalization", "quantization", "sequence",
    "control_flow", "generators", "randomness", "filters", "recurrent", "contrib", "contrib_attention",
    "contrib_products", "classic", "signals",
)


@cache
def load() -> None:
    """Import every family, which registers its rules."""
    for family in FAMILIES:
        import_module(f".{family}", __name__)
