"""A whole ONNX model, graph and weights, in one .safetensors or .gguf file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .read import Archive as Archive
    from .read import import_gguf as import_gguf
    from .read import import_safetensors as import_safetensors
    from .read import open_archive as open_archive
    from .read import read_gguf_metadata as read_gguf_metadata
    from .read import unpack_archive as unpack_archive
    from .safety import ArchiveError as ArchiveError
    from .weights import import_gguf_weights as import_gguf_weights
    from .write import export_gguf as export_gguf
    from .write import export_safetensors as export_safetensors
else:
    _LAZY = {
        "Archive": "read",
        "ArchiveError": "safety",
        "export_gguf": "write",
        "export_safetensors": "write",
        "import_gguf": "read",
        "import_gguf_weights": "weights",
        "import_safetensors": "read",
        "open_archive": "read",
        "read_gguf_metadata": "read",
        "unpack_archive": "read",
    }

    def __getattr__(name: str) -> object:
        module = _LAZY.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f".{module}", __name__), name)


__all__ = [
    "Archive",
    "ArchiveError",
    "__version__",
    "export_gguf",
    "export_safetensors",
    "import_gguf",
    "import_gguf_weights",
    "import_safetensors",
    "open_archive",
    "read_gguf_metadata",
    "unpack_archive",
]
