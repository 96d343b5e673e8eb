"""`onnxsim.backend`, as scripts written for earlier releases use it: run a model with whatever runtime is installed."""

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from onnxsim_core.check.equality import on_disk
from onnxsim_core.check.runners import has_onnxruntime
from onnxsim_core.fold.providers import check_providers

__all__ = ["Runner", "has_onnxruntime", "run_model", "validate_providers"]


class Runner:
    """A loaded model: call it with inputs by name, and it gives outputs by name.

    Args:
        model: a path, bytes or a ModelProto.
        output_names: which outputs, all by default.
        providers: onnxruntime execution providers; the CPU when none is given.
        custom_lib: a library with custom operators, loaded into onnxruntime.
        single_threaded: use one thread.
        deterministic: ask onnxruntime for the same bits on every run.

    Raises:
        OptionError: onnxruntime lacks a provider, or an output does not exist.
    """

    def __init__(
        self,
        model: Any,
        output_names: Sequence[str] | None = None,
        providers: Sequence[Any] | None = None,
        *,
        custom_lib: str | None = None,
        single_threaded: bool = False,
        deterministic: bool = False,
    ) -> None:
        validate_providers(providers)
        with ExitStack() as stack:
            path = stack.enter_context(on_disk(model))
            self._session: Any
            if has_onnxruntime():
                self._session = _session(path, providers, custom_lib, single_threaded, deterministic)
                known = [output.name for output in self._session.get_outputs()]
            else:
                from onnx.reference import ReferenceEvaluator

                self._session = ReferenceEvaluator(path)
                known = list(self._session.output_names)
        self.output_names: list[str] = list(output_names) if output_names is not None else known
        for name in self.output_names:
            if name not in known:
                from onnxsim_core import OptionError

                raise OptionError(f"the model has no output {name!r}", hint=f"it has {', '.join(known)}")

    def __call__(self, inputs: Mapping[str, Any]) -> "OrderedDict[str, Any]":
        results = self._session.run(self.output_names, dict(inputs))
        return OrderedDict(zip(self.output_names, results, strict=True))


def run_model(
    model: Any,
    inputs: Mapping[str, Any],
    output_names: Sequence[str] | None = None,
    custom_lib: str | None = None,
    providers: Sequence[Any] | None = None,
    single_threaded: bool = False,
    deterministic: bool = False,
) -> "OrderedDict[str, Any]":
    """Run a model once; for the arguments see `Runner`."""
    runner = Runner(
        model,
        output_names,
        providers,
        custom_lib=custom_lib,
        single_threaded=single_threaded,
        deterministic=deterministic,
    )
    return runner(inputs)


def validate_providers(providers: Sequence[Any] | None) -> None:
    """Check execution providers before anything is loaded.

    Raises:
        OptionError: the installed onnxruntime does not have one of them; the text names those it has.
    """
    check_providers(providers)


def _session(path: str, providers: Any, custom_lib: str | None, single_threaded: bool, deterministic: bool) -> Any:
    import onnxruntime as ort

    wanted: Any = check_providers(providers)
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.use_deterministic_compute = deterministic
    if single_threaded:
        options.intra_op_num_threads = options.inter_op_num_threads = 1
    if custom_lib is not None:
        options.register_custom_ops_library(os.fspath(custom_lib))
    return ort.InferenceSession(path, options, providers=wanted)
