"""`simplify()`: read, simplify, check on request, write."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Unpack

from .delivery import Comparison, Delivery
from .earlier import Earlier, check_earlier
from .errors import ModelError, OptionError
from .healing import Task
from .options import (
    CONTAINERS,
    EXTERNAL_DATA_THRESHOLD,
    Environment,
    SimplifyOptions,
    environment,
    parse_size,
    profile_wanted,
)
from .passes.presets import combined

if TYPE_CHECKING:
    from onnx import ModelProto

    from .ir.graph import Model
    from .passes.manager import Report
    from .passes.phases import Phases


Shapes = Mapping[Any, Sequence[int | str]]
"""By input name (None: the only input), its sizes: a number pins one, a name calls it so, 0 or -1 leaves it."""
_BN = ("fuse_bn_into_conv",)


class SimplifyResult(Sequence[Any]):
    """What `simplify` gives: unpacks as `model, ok`.

    `model` is the simplified ModelProto, made when first asked for. `ok` is the verdict of the comparison (True when
    none was asked for) and `check` says what it found. `report` says what was done; `path` is the file written, None
    when none was asked for or the comparison failed. `graph` is the simplified model in memory, with what is known of
    its values.
    """

    def __init__(self, graph: Model, report: Report, delivery: Delivery) -> None:
        self.graph = graph
        self._proto: ModelProto | None = None
        self.ok = delivery.check is None or delivery.check.ok
        self.check = delivery.check
        self.report = report
        self.path = delivery.path
        self._nbytes = delivery.nbytes

    @property
    def model(self) -> ModelProto:
        if self._proto is None:
            from .ir.save import model_proto

            self._proto = model_proto(self.graph)
        return self._proto

    @property
    def nbytes(self) -> int:
        """Bytes of the simplified model with its weights: as written, else as it would be with everything inside."""
        if self._nbytes is None:
            from .ir.write import Writer

            self._nbytes = Writer(self.graph).rope().nbytes
        return self._nbytes

    def __getitem__(self, index: Any) -> Any:
        return (self.model, self.ok)[index]

    def __iter__(self) -> Iterator[Any]:
        yield self.model
        yield self.ok

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return f"SimplifyResult(ok={self.ok}, nodes={self.report.nodes_before}->{self.report.nodes_after})"


def simplify(
    model: Any, check_n: int = 0, perform_optimization: bool = True, skip_fuse_bn: bool = False,
    overwrite_input_shapes: Shapes | None = None, test_input_shapes: Shapes | None = None,
    skipped_optimizers: Iterable[str] | None = None,
    skip_constant_folding: bool = False, skip_shape_inference: bool = False,
    input_data: Mapping[str, Any] | None = None, dynamic_input_shape: bool = False, custom_lib: str | None = None,
    include_subgraph: bool = True, unused_output: Iterable[str] | None = None,
    tensor_size_threshold: int | str | None = None, mutable_initializer: bool = False,
    *,
    initializers_as_constants: bool = True, inline_functions: bool = False,
    target_opset_version: int | str | None = None, import_custom_schemas: bool = True,
    custom_rewriter: Callable[[ModelProto], ModelProto | bool | None] | None = None,
    function_rewrite_rules: Iterable[tuple[Any, Any]] | None = None,
    extra_optimizers: Iterable[str] | None = None, preset: str | None = None, keep_nodes: Iterable[str] | None = None,
    check_rtol: float = 1e-4, check_atol: float = 1e-5, input_fill: str = "random", strict: bool = False,
    providers: Sequence[Any] | None = None,
    output_path: str | os.PathLike[str] | None = None, save_as_external_data: bool = False,
    external_data_threshold: int | str | None = None,
    input_shapes: Shapes | None = None,
    profile: str | os.PathLike[str] | bool | None = None,
    ort_profile: str | bool | None = None, merge_ort_profile: bool = False,
    compare_with: Any = None, trace: bool = False, phases: Phases | None = None,
    **earlier: Unpack[Earlier],
) -> SimplifyResult:
    """Simplify a model; the result unpacks as `model_simp, ok`.

    Args:
        model: a path, the file's bytes, a ModelProto (never changed) or an onnx_ir.Model.
        check_n: how many comparisons with the original on generated inputs; `ok` is their verdict. A pass that changed
            an output is found, left out and named in a warning.
        strict: raise a CheckError that names the pass instead.
        output_path: also write the model there; large weights are then copied file to file and never loaded. When a
            comparison was asked for and failed, nothing is written and what was there stays.
        inline_functions: put the bodies of the model's local functions in the place of their calls first.
        target_opset_version: write the model for this version of the default operator set, or `latest`.
        import_custom_schemas: ask schemas registered with `onnx.defs.register_schema` about their operators.
        custom_rewriter: gets the model each time nothing else is left to do, and gives it back changed (as a new model,
            or in place and None) or False. See docs/how-to/rewriters.md for where the weights are.
        function_rewrite_rules: pairs (pattern, replacement) of FunctionProtos.
        preset: what the result is for: ort, tensorrt, tflite, coreml, npu or quantize.
        keep_nodes: names of nodes, or regular expressions for whole names, that are not to change; their inputs and
            outputs keep their names too.
        input_shapes: the old name of `overwrite_input_shapes` and `test_input_shapes` together.
        profile: write a trace of the run to this file (empty: `onnxsim_profile.json`) and print a table.
        ort_profile: let onnxruntime write a trace per session, with this prefix (empty: `onnxsim_ort_profile`).
        merge_ort_profile: put those into the trace instead.
        compare_with: the model to compare with instead of `model`, when that was made from another.
        trace: note every replaced node in `report.events`.
        phases: is told what goes on.
        earlier: keywords of earlier releases that have no effect now.

    Raises:
        ModelError: the model cannot be read, is invalid, or cannot be written.
        OptionError: an option is unknown, malformed or does not fit the model.
        CheckError: the original does not run, or with `strict` the simplified model differs.
    """
    _check_containers(model, output_path)
    overwrite, test = _present_names(overwrite_input_shapes, test_input_shapes, input_shapes)
    _deprecated(dynamic_input_shape, skip_fuse_bn)
    check_earlier(**earlier)
    _check_lists(skipped_optimizers=skipped_optimizers, extra_optimizers=extra_optimizers, unused_output=unused_output,
                 keep_nodes=keep_nodes, providers=providers)
    skipped, extra = combined(preset, (*(skipped_optimizers or ()), *(_BN if skip_fuse_bn else ())),
                              extra_optimizers or ())
    found = environment()
    wanted = None
    if phases is None or not phases.records:
        wanted = profile_wanted(profile, ort_profile, merge_ort_profile, found)
    with _listening(wanted, phases) as listener:
        options = SimplifyOptions(
            optimize=perform_optimization, skipped_passes=skipped, extra_passes=extra, preset=preset,
            fold=not skip_constant_folding, infer=not skip_shape_inference, include_subgraph=include_subgraph,
            mutable_initializer=mutable_initializer, initializers_as_constants=initializers_as_constants,
            tensor_size_limit=None if tensor_size_threshold is None else parse_size(tensor_size_threshold),
            overwrite_input_shapes=dict(overwrite or {}), unused_outputs=tuple(unused_output or ()),
            inline_functions=inline_functions, target_opset=target_opset_version, import_schemas=import_custom_schemas,
            rewriter=_rewriter(custom_rewriter), rewrite_rules=_rules(function_rewrite_rules), trace=trace,
            keep_nodes=tuple(keep_nodes or ()), max_rounds=found.max_rounds, providers=tuple(providers or ()),
            phases=listener)
        threshold = parse_size(EXTERNAL_DATA_THRESHOLD if external_data_threshold is None else external_data_threshold)
        comparison = Comparison(
            original=model if compare_with is None else compare_with, n=check_n, rtol=check_rtol, atol=check_atol,
            fill=input_fill, data=input_data, custom_lib=custom_lib, phases=listener,
            shapes={**options.overwrite_input_shapes, **(test or {})})
        task = Task(model, options, comparison, None if output_path is None else os.fspath(output_path),
                    0 if save_as_external_data else threshold)
        with listener.phase("Simplify"):
            attempt = task.run(strict=strict)
    if phases is None:
        for name, effect in attempt.report.blamed.items():
            warnings.warn(f"pass {name} {effect}; skipped", RuntimeWarning, stacklevel=2)
    return SimplifyResult(attempt.graph, attempt.report, attempt.delivery)


def _check_containers(model: Any, output_path: str | os.PathLike[str] | None) -> None:
    """Archives are opened and written by onnxsim-archives; under their names no plain model is read or written.

    Raises:
        ModelError: the model is the path of an archive.
        OptionError: the output is.
    """
    if isinstance(model, (str, os.PathLike)) and os.fspath(model).lower().endswith(CONTAINERS):
        raise ModelError("an archive is no .onnx file", where=os.fspath(model),
                         hint="simplify(onnxsim_archives.open_archive(path)) reads it")
    if output_path is not None and os.fspath(output_path).lower().endswith(CONTAINERS):
        name = "export_gguf" if os.fspath(output_path).lower().endswith(".gguf") else "export_safetensors"
        raise OptionError(f"output_path is an .onnx file, not {os.fspath(output_path)!r}",
                          hint=f"onnxsim_archives.{name}(result, path) writes an archive")


def _listening(wanted: Environment | None, phases: Phases | None) -> AbstractContextManager[Phases]:
    """The listener of a run: the caller's, and a profile around it if one is wanted."""
    from .passes.phases import NO_PHASES

    if wanted is None:
        return nullcontext(phases or NO_PHASES)
    from .profile.session import profiling

    return profiling(wanted, phases or NO_PHASES)


def _rewriter(given: Any) -> Any:
    """What is to be called each round.

    Raises:
        TypeError: it cannot be called.
    """
    if given is not None and not callable(given):
        raise TypeError(f"custom_rewriter is called with a ModelProto, but a {type(given).__name__} cannot be called")
    return given


def _rules(pairs: Iterable[Any] | None) -> tuple[Any, ...]:
    if pairs is None:
        return ()
    from .patterns.compile import compile_rules

    return compile_rules(pairs)


def _present_names(overwrite: Shapes | None, test: Shapes | None,
                   old: Shapes | None) -> tuple[Shapes | None, Shapes | None]:
    """Shapes given under a name of earlier releases, under the present ones."""
    if old is None:
        return overwrite, test
    if overwrite is not None or test is not None:
        raise OptionError("input_shapes is an old name of overwrite_input_shapes and test_input_shapes: give those")
    warnings.warn("input_shapes is now called overwrite_input_shapes", DeprecationWarning, stacklevel=3)
    return old, old


def _deprecated(dynamic_input_shape: bool, skip_fuse_bn: bool) -> None:
    """A line for each argument that has a successor, or no effect."""
    if dynamic_input_shape:
        warnings.warn("dynamic_input_shape has no effect: inputs stay dynamic", DeprecationWarning, stacklevel=3)
    if skip_fuse_bn:
        warnings.warn("skip_fuse_bn is now written skipped_optimizers=['fuse_bn_into_conv']", DeprecationWarning,
                      stacklevel=3)


def _check_lists(**lists: Any) -> None:
    """A text where a list belongs would be taken letter by letter; providers must be there even if nothing will run."""
    for name, value in lists.items():
        if isinstance(value, str):
            raise TypeError(f"{name} is a list of names, not a text: write [{value!r}]")
    if lists.get("providers"):
        from .fold.providers import check_providers

        check_providers(lists["providers"])


__all__ = ["OptionError", "SimplifyResult", "simplify"]
