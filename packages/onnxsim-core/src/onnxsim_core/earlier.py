"""Keywords of earlier releases of `simplify()` that have no effect now, or are about what other distributions do."""

from __future__ import annotations

import warnings
from typing import TypedDict, Unpack

from .errors import OptionError

_GEMM_BACKENDS = ("ort_cpu", "unrestricted", "webgpu", "webnn")
_BRINGS = {
    "certify": "onnxsim-ranges",
    "range_opt": "onnxsim-ranges",
    "check_hazards": "onnxsim-ranges",
    "check_gradients": "onnxsim-ranges",
}


class Earlier(TypedDict, total=False):
    """Keywords that only scripts for earlier releases pass."""

    gemm_fusion_backend: str
    certify: bool | None
    range_opt: bool
    check_hazards: bool
    check_gradients: bool
    gradient_precision: str


def check_earlier(**given: Unpack[Earlier]) -> None:
    """Warn of what has no effect. What is turned off is nothing to speak of.

    Raises:
        OptionError: something is asked for that another distribution does.
        TypeError: `simplify()` never had such a keyword.
    """
    for name, value in given.items():
        if name not in Earlier.__annotations__:
            raise TypeError(f"simplify() got an unexpected keyword argument {name!r}")
        if name in _BRINGS and value:
            raise OptionError(f"{name} comes with {_BRINGS[name]}, not with simplify",
                              hint=f"pip install {_BRINGS[name]}")
    backend = given.get("gemm_fusion_backend")
    if backend is None:
        return
    if backend not in _GEMM_BACKENDS:
        raise OptionError(f"gemm_fusion_backend is one of {', '.join(_GEMM_BACKENDS)}, not {backend!r}")
    warnings.warn("gemm_fusion_backend has no effect: MatMul and Add become a Gemm wherever onnxruntime's takes the type",
                  DeprecationWarning, stacklevel=3)
