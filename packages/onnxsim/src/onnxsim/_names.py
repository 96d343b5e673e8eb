"""Which module of which distribution each name of `onnxsim` comes from."""

from importlib.util import find_spec
from typing import NamedTuple


class Source(NamedTuple):
    """Where a name lives; an empty `attribute` means that the name is the module itself."""

    module: str
    attribute: str
    distribution: str
    extra: str = ""

    @property
    def import_package(self) -> str:
        """The package that must be importable, which a distribution's name gives away."""
        return self.distribution.replace("-", "_")


CORE = "onnxsim-core"
ARCHIVES = "onnxsim-archives"

NAMES: dict[str, Source] = {
    "CheckError": Source("onnxsim_core", "CheckError", CORE),
    "ModelError": Source("onnxsim_core", "ModelError", CORE),
    "OnnxsimError": Source("onnxsim_core", "OnnxsimError", CORE),
    "OptionError": Source("onnxsim_core", "OptionError", CORE),
    "PassError": Source("onnxsim_core", "PassError", CORE),
    "PluginError": Source("onnxsim_core", "PluginError", CORE),
    "SimplifyResult": Source("onnxsim_core", "SimplifyResult", CORE),
    "UnsupportedModelError": Source("onnxsim_core", "UnsupportedModelError", CORE),
    "export_onnx_schemas": Source("onnxsim_core", "export_onnx_schemas", CORE),
    "import_onnx_schemas": Source("onnxsim_core", "import_onnx_schemas", CORE),
    "inline_local_functions": Source("onnxsim_core", "inline_local_functions", CORE),
    "load_rules": Source("onnxsim_core", "load_rules", CORE),
    "load_tensor": Source("onnxsim_core", "load_tensor", CORE),
    "main": Source("onnxsim_core.cli.main", "main", CORE),
    "simplify": Source("onnxsim_core", "simplify", CORE),
    "Archive": Source("onnxsim_archives", "Archive", ARCHIVES, "archives"),
    "ArchiveError": Source("onnxsim_archives", "ArchiveError", ARCHIVES, "archives"),
    "export_gguf": Source("onnxsim_archives", "export_gguf", ARCHIVES, "archives"),
    "export_safetensors": Source("onnxsim_archives", "export_safetensors", ARCHIVES, "archives"),
    "import_gguf": Source("onnxsim_archives", "import_gguf", ARCHIVES, "archives"),
    "import_gguf_weights": Source("onnxsim_archives", "import_gguf_weights", ARCHIVES, "archives"),
    "import_safetensors": Source("onnxsim_archives", "import_safetensors", ARCHIVES, "archives"),
    "open_archive": Source("onnxsim_archives", "open_archive", ARCHIVES, "archives"),
    "read_gguf_metadata": Source("onnxsim_archives", "read_gguf_metadata", ARCHIVES, "archives"),
    "unpack_archive": Source("onnxsim_archives", "unpack_archive", ARCHIVES, "archives"),
    # Modules that scripts written for earlier releases import by these names.
    "backend": Source("onnxsim.backend", "", CORE),
    "model_checking": Source("onnxsim.model_checking", "", CORE),
    "model_info": Source("onnxsim.model_info", "", CORE),
    "onnx_simplifier": Source("onnxsim.onnx_simplifier", "", CORE),
    "profile_merge": Source("onnxsim.profile_merge", "", CORE),
    "profile_plot": Source("onnxsim.profile_plot", "", CORE),
    "annotate_memory_plan": Source("onnxsim.model_memory", "annotate_memory_plan", CORE),
    "plan_activation_memory": Source("onnxsim.model_memory", "plan_activation_memory", CORE),
    "print_memory_plan": Source("onnxsim.model_memory", "print_memory_plan", CORE),
}


def installed(source: Source) -> bool:
    """Tell whether the distribution of a name is there, without importing it."""
    return find_spec(source.import_package) is not None


def missing(name: str, source: Source) -> ModuleNotFoundError:
    """The error for a name whose distribution is not installed; its text says what to install."""
    wanted = f"onnxsim[{source.extra}]" if source.extra else source.distribution
    return ModuleNotFoundError(
        f"onnxsim.{name} comes with {source.distribution}, which is not installed: pip install '{wanted}'",
        name=source.import_package,
    )
