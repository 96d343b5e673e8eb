"""onnxsim core: simplify ONNX models with nothing but onnx and numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__
from .errors import (
    CheckError,
    ModelError,
    OnnxsimError,
    OptionError,
    PassError,
    PluginError,
    UnsupportedModelError,
)

if TYPE_CHECKING:
    from .api import SimplifyResult as SimplifyResult
    from .api import simplify as simplify
else:
    _LAZY = {"simplify": "api", "SimplifyResult": "api"}

    def __getattr__(name: str) -> object:
        module = _LAZY.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f".{module}", __name__), name)


__all__ = [
    "CheckError",
    "ModelError",
    "OnnxsimError",
    "OptionError",
    "PassError",
    "PluginError",
    "SimplifyResult",
    "UnsupportedModelError",
    "__version__",
    "simplify",
]
