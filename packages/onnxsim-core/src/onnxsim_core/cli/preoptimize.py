"""`--enable-onnxruntime-optimization`: let onnxruntime rewrite a model before it is simplified."""

from __future__ import annotations

import os
from typing import Any

from ..check.runners import has_onnxruntime
from ..errors import ModelError, OptionError


def optimized(source: Any, folder: str) -> str:
    """Write what onnxruntime makes of the model at its BASIC level into a folder, and give the path.

    BASIC stays within the standard operators, so the result can be simplified and run elsewhere.

    Raises:
        OptionError: onnxruntime is not installed, or the source is no file.
        ModelError: onnxruntime cannot load the model.
    """
    if not isinstance(source, str):
        raise OptionError("--enable-onnxruntime-optimization takes .onnx files only")
    if not has_onnxruntime():
        raise OptionError("--enable-onnxruntime-optimization needs onnxruntime",
                          hint="pip install 'onnxsim[onnxruntime]'")
    import onnxruntime as ort

    target = os.path.join(folder, os.path.basename(source) + ".onnx")
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = target
    options.log_severity_level = 4
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name",
                                     os.path.basename(target) + ".data")
    options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", "1048576")
    try:
        ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        text = " ".join(str(error).split())[:300]
        raise ModelError(f"onnxruntime cannot optimize the model: {text}", where=source) from error
    return target
