"""onnxsim core: simplify ONNX models with nothing but onnx and numpy."""

from __future__ import annotations

import sys as _sys
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

if TYPE_CHECKING or "onnxsim_command" not in _sys.modules:
    from .engine import SimplifyResult, simplify
else:

    def __getattr__(name: str) -> object:
        if name not in ("SimplifyResult", "simplify"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import api

        return getattr(api, name)


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
