"""Running a model from a file, with all optimisations off so that it computes what it says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import CheckError, OptionError
from ..passes.phases import NO_PHASES, Phases


def has_onnxruntime() -> bool:
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None


class Runner:
    """One loaded model. Give it up before the next is loaded, so that two huge models are never in memory at once."""

    def __init__(self, path: str, *, custom_lib: str | None = None, phases: Phases = NO_PHASES) -> None:
        self.path = path
        self.phases = phases
        if custom_lib is not None and not os.path.exists(custom_lib):
            raise OptionError(f"there is no custom operator library at {custom_lib!r}")
        if has_onnxruntime():
            self._open(custom_lib)
        else:
            from onnx.reference import ReferenceEvaluator

            try:
                self._session: Any = ReferenceEvaluator(path)
            except Exception as error:  # it raises anything about a model it does not know
                raise CheckError(f"onnx's evaluator cannot load the model: {first_line(error)}") from error
            self.outputs: list[str] = list(self._session.output_names)
            self.inputs: list[str] = list(self._session.input_names)

    def _open(self, custom_lib: str | None) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        options.enable_cpu_mem_arena = False
        if custom_lib is not None:
            options.register_custom_ops_library(custom_lib)
        self.phases.before_session(options)
        ort.set_seed(1)
        try:
            self._session = ort.InferenceSession(self.path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises bare classes of its own
            raise CheckError(f"onnxruntime cannot load the model: {first_line(error)}") from error
        self.outputs = [o.name for o in self._session.get_outputs()]
        self.inputs = [i.name for i in self._session.get_inputs()]

    def finish(self) -> None:
        """Nothing more will be run."""
        if has_onnxruntime():
            self.phases.after_session(self._session)

    def run(self, feeds: Mapping[str, Any], outputs: Sequence[str]) -> list[Any]:
        """Values of the named outputs.

        Raises:
            CheckError: the runtime refused the inputs or failed.
        """
        known = {name: value for name, value in feeds.items() if name in self.inputs}
        try:
            results: list[Any] = self._session.run(list(outputs), known)
        except Exception as error:  # as above; the reference evaluator raises anything
            raise CheckError(f"the model does not run: {first_line(error)}") from error
        return results


def first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0][:300] if text else type(error).__name__
