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
    "TensorPool": Source("onnxsim.model_loading", "TensorPool", CORE),
    "load_model": Source("onnxsim.model_loading", "load_model", CORE),
    "annotate_memory_plan": Source("onnxsim.model_memory", "annotate_memory_plan", CORE),
    "plan_activation_memory": Source("onnxsim.model_memory", "plan_activation_memory", CORE),
    "print_memory_plan": Source("onnxsim.model_memory", "print_memory_plan", CORE),
}

# What earlier releases had under `onnxsim` and distributions of their own bring now, name by name. A module is itself.
SIBLINGS: dict[str, tuple[str, ...]] = {
    "onnxsim-ranges": ("ranges", "interval", "certify", "range_opt", "nan_check", "grad_health"),
    "onnxsim-export-tflite": ("export_tflite", "tflite_export", "onnx2tf_export"),
    "onnxsim-export-coreml": ("export_coreml", "coreml_export"),
    "onnxsim-export-mlir": ("export_mlir", "mlir_export", "einsum_decompose"),
    "onnxsim-edgetpu": (
        "EDGETPU_SUPPORTED_TFLITE_OPS",
        "check_onnx_for_edgetpu",
        "check_tflite_for_edgetpu",
        "compile_for_edgetpu",
        "edgetpu_compiler_version",
        "edgetpu_setup_hint",
        "export_edgetpu",
        "find_edgetpu_compiler",
        "find_edgetpu_library",
        "has_litert",
        "make_litert_interpreter",
        "quantize_for_edgetpu",
        "run_litert",
    ),
    "onnxsim-vitisai": ("check_vitisai_support", "legalize_for_vitisai", "split_model"),
    "onnxsim-qat": (
        "QATBlock",
        "QATBlockResult",
        "apply_adaquant",
        "apply_adaround",
        "apply_autoround",
        "apply_block_finetune",
        "apply_block_finetune_all_blocks",
        "apply_brecq",
        "apply_flexround",
        "apply_pruning_finetune",
        "apply_qat",
        "apply_qat_all_blocks",
        "calibrate",
        "collect_calibration_stats",
        "discover_qat_blocks",
        "generate_random_calibration_data",
        "graph_grad",
        "load_huggingface_calibration_data",
        "qat_interop",
        "quantize_static",
        "quantize_static_int16",
        "quantize_weight_only_int4",
    ),
    "onnxsim-hf": (
        "export_detectron_model",
        "export_diffusion_model",
        "export_drivetransformer_model",
        "export_sam2_model",
        "export_transformers_model",
    ),
}
MODULES = frozenset(
    {
        "ranges",
        "interval",
        "certify",
        "range_opt",
        "nan_check",
        "grad_health",
        "tflite_export",
        "onnx2tf_export",
        "coreml_export",
        "mlir_export",
        "einsum_decompose",
        "graph_grad",
        "qat_interop",
    }
)


def source_of(name: str) -> Source | None:
    """Where a name lives, or None when there is no such name."""
    found = NAMES.get(name)
    if found is not None:
        return found
    for distribution, names in SIBLINGS.items():
        if name in names:
            package = distribution.replace("-", "_")
            if name in MODULES:
                return Source(f"{package}.{name}", "", distribution)
            return Source(package, name, distribution)
    return None


def installed(source: Source) -> bool:
    """Tell whether the distribution of a name is there, without importing it."""
    return find_spec(source.import_package) is not None


def available() -> set[str]:
    """The names whose distributions are installed."""
    found = {name for name, source in NAMES.items() if installed(source)}
    for distribution, names in SIBLINGS.items():
        if find_spec(distribution.replace("-", "_")) is not None:
            found.update(names)
    return found


def missing(name: str, source: Source) -> ModuleNotFoundError:
    """The error for a name whose distribution is not installed; its text says what to install."""
    wanted = f"onnxsim[{source.extra}]" if source.extra else source.distribution
    return ModuleNotFoundError(
        f"onnxsim.{name} comes with {source.distribution}, which is not installed: pip install '{wanted}'",
        name=source.import_package,
    )
