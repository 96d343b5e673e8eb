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
    from .extending import (
        export_onnx_schemas,
        import_onnx_schemas,
        inline_local_functions,
        load_rules,
        load_tensor,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module = "api" if name in ("SimplifyResult", "simplify") else "extending"
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
    "export_onnx_schemas",
    "import_onnx_schemas",
    "inline_local_functions",
    "load_rules",
    "load_tensor",
    "simplify",
]
