"""Execution providers for the sessions that fold: which are there, and what brings those that are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import OptionError

Provider: TypeAlias = "str | tuple[str, Mapping[str, Any]]"
CPU = "CPUExecutionProvider"

_WHEELS = (
    (("CUDA", "Tensorrt", "NvTensorRT"), "pip install onnxruntime-gpu"),
    (("ROCM",), "pip install onnxruntime-rocm"),
    (("MIGraphX", "AMDGPU"), "pip install onnxruntime-migraphx"),
    (("VitisAI",), "install AMD's Ryzen AI Software, which comes with its own onnxruntime"),
    (("Dml",), "pip install onnxruntime-directml"),
    (("OpenVINO",), "pip install onnxruntime-openvino"),
    (("QNN",), "pip install onnxruntime-qnn"),
    (("CoreML",), "pip install onnxruntime on macOS"),
    (("Axera", "AXEngine", "AxEngine"), "install Axera's own onnxruntime provider"),
)


def check_providers(providers: Sequence[Provider] | str | None) -> list[Provider]:
    """The providers to open a session with, the CPU last; none means the CPU alone.

    Raises:
        OptionError: one is malformed, or the installed onnxruntime does not have it.
    """
    wanted: list[Provider] = [providers] if isinstance(providers, str) else list(providers or ())
    names = [_name(entry) for entry in wanted]
    if all(name == CPU for name in names):
        return wanted or [CPU]
    available = _available()
    missing = [name for name in names if name not in available]
    if missing:
        hints = list(dict.fromkeys(hint for hint in map(install_hint, missing) if hint))
        has = "available are " + ", ".join(available) if available else "onnxruntime is not installed"
        raise OptionError(f"onnxruntime has no {', '.join(missing)}: {has}", hint="; ".join(hints) or None)
    return wanted if CPU in names else [*wanted, CPU]


def install_hint(name: str) -> str:
    """What to install for a provider, or nothing when that is not known."""
    for prefixes, hint in _WHEELS:
        if name.startswith(prefixes):
            return hint
    return ""


def has_onnxruntime() -> bool:
    """Can onnxruntime be imported? A damaged installation counts as none."""
    try:
        import onnxruntime
    except ImportError:
        return False
    return hasattr(onnxruntime, "InferenceSession")


def _available() -> list[str]:
    if not has_onnxruntime():
        return []
    import onnxruntime

    names: list[str] = onnxruntime.get_available_providers()
    return names


def _name(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], str) \
            and isinstance(entry[1], Mapping):
        return entry[0]
    raise OptionError(f"a provider is a name or a pair of name and options, not {entry!r}")
