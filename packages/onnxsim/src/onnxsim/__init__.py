"""ONNX simplifier: the names of every installed onnxsim distribution under one import.

Nothing is imported before a name is used, so `import onnxsim` costs neither onnx nor the engine. What a name comes from
is in `_names.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._names import available, missing, source_of
from ._submodules import install
from ._version import __version__ as __version__

install()

if TYPE_CHECKING:
    from onnxsim_archives import Archive as Archive
    from onnxsim_archives import ArchiveError as ArchiveError
    from onnxsim_archives import export_gguf as export_gguf
    from onnxsim_archives import export_safetensors as export_safetensors
    from onnxsim_archives import import_gguf as import_gguf
    from onnxsim_archives import import_gguf_weights as import_gguf_weights
    from onnxsim_archives import import_safetensors as import_safetensors
    from onnxsim_archives import open_archive as open_archive
    from onnxsim_archives import read_gguf_metadata as read_gguf_metadata
    from onnxsim_archives import unpack_archive as unpack_archive
    from onnxsim_core import CheckError as CheckError
    from onnxsim_core import ModelError as ModelError
    from onnxsim_core import OnnxsimError as OnnxsimError
    from onnxsim_core import OptionError as OptionError
    from onnxsim_core import PassError as PassError
    from onnxsim_core import PluginError as PluginError
    from onnxsim_core import SimplifyResult as SimplifyResult
    from onnxsim_core import UnsupportedModelError as UnsupportedModelError
    from onnxsim_core import export_onnx_schemas as export_onnx_schemas
    from onnxsim_core import import_onnx_schemas as import_onnx_schemas
    from onnxsim_core import inline_local_functions as inline_local_functions
    from onnxsim_core import load_rules as load_rules
    from onnxsim_core import load_tensor as load_tensor
    from onnxsim_core import simplify as simplify
    from onnxsim_core.cli.main import main as main

    from . import backend as backend
    from . import model_checking as model_checking
    from . import model_info as model_info
    from . import onnx_simplifier as onnx_simplifier
    from . import profile_merge as profile_merge
    from . import profile_plot as profile_plot
    from .model_loading import TensorPool as TensorPool
    from .model_loading import load_model as load_model
    from .model_memory import annotate_memory_plan as annotate_memory_plan
    from .model_memory import plan_activation_memory as plan_activation_memory
    from .model_memory import print_memory_plan as print_memory_plan
else:

    def __getattr__(name: str) -> Any:
        source = source_of(name)
        if source is None:
            raise AttributeError(f"module 'onnxsim' has no attribute {name!r}")
        try:
            module = import_module(source.module)
        except ModuleNotFoundError as error:
            if error.name != source.import_package:
                raise
            raise missing(name, source) from error
        value = getattr(module, source.attribute) if source.attribute else module
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *available()})
