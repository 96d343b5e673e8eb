"""`simplify()`: read, simplify, check on request, write."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .delivery import Comparison, Delivery, deliver
from .errors import OptionError
from .options import EXTERNAL_DATA_THRESHOLD, SimplifyOptions, parse_size, rounds_from_environment

if TYPE_CHECKING:
    from onnx import ModelProto

    from .ir.graph import Model
    from .passes.manager import Report
    from .passes.phases import Phases


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


@contextmanager
def paused_gc() -> Iterator[None]:
    """No garbage collection while millions of small objects are alive; restored after."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def simplify(
    model: Any,
    check_n: int = 0,
    perform_optimization: bool = True,
    skip_fuse_bn: bool = False,
    overwrite_input_shapes: Mapping[str, Sequence[int]] | None = None,
    test_input_shapes: Mapping[str, Sequence[int]] | None = None,
    skipped_optimizers: Sequence[str] | None = None,
    skip_constant_folding: bool = False,
    skip_shape_inference: bool = False,
    input_data: Mapping[str, Any] | None = None,
    dynamic_input_shape: bool = False,
    custom_lib: str | None = None,
    include_subgraph: bool = True,
    unused_output: Sequence[str] | None = None,
    tensor_size_threshold: int | str | None = None,
    mutable_initializer: bool = False,
    *,
    initializers_as_constants: bool = True,
    extra_optimizers: Sequence[str] | None = None,
    check_rtol: float = 1e-4,
    check_atol: float = 1e-5,
    input_fill: str = "random",
    providers: Sequence[Any] | None = None,
    output_path: str | os.PathLike[str] | None = None,
    save_as_external_data: bool = False,
    external_data_threshold: int | str | None = None,
    trace: bool = False,
    phases: Phases | None = None,
) -> SimplifyResult:
    """Simplify a model; the result unpacks as `model_simp, ok`.

    Args:
        model: a path, the file's bytes, a ModelProto (never changed) or an onnx_ir.Model.
        check_n: how many comparisons with the original on generated inputs; `ok` is their verdict.
        output_path: also write the model there; large weights are then copied file to file and never loaded. When a
            comparison was asked for and failed, nothing is written and what was there stays.
        phases: is told what goes on.

    Raises:
        ModelError: the model cannot be read, is invalid, or cannot be written.
        OptionError: an option is unknown, malformed or does not fit the model.
    """
    from .ir.read import read_model
    from .passes.manager import simplify_model
    from .passes.phases import NO_PHASES

    listener = phases or NO_PHASES
    skipped = frozenset(skipped_optimizers or ()) | (frozenset({"fuse_bn_into_conv"}) if skip_fuse_bn else frozenset())
    options = SimplifyOptions(
        optimize=perform_optimization, skipped_passes=skipped, extra_passes=tuple(extra_optimizers or ()),
        fold=not skip_constant_folding, infer=not skip_shape_inference, include_subgraph=include_subgraph,
        mutable_initializer=mutable_initializer, initializers_as_constants=initializers_as_constants,
        tensor_size_limit=None if tensor_size_threshold is None else parse_size(tensor_size_threshold),
        overwrite_input_shapes=dict(overwrite_input_shapes or {}), unused_outputs=tuple(unused_output or ()),
        max_rounds=rounds_from_environment(), providers=tuple(providers or ()), trace=trace, phases=listener)
    threshold = EXTERNAL_DATA_THRESHOLD if external_data_threshold is None else parse_size(external_data_threshold)
    path = None if output_path is None else os.fspath(output_path)
    with listener.phase("Simplify"):
        with paused_gc():
            with listener.phase("Read"):
                listener.step("reading", 0, 0)
                ir = read_model(model)
            report = simplify_model(ir, options)
        comparison = None
        if check_n > 0:
            comparison = Comparison(
                original=model, n=check_n, rtol=check_rtol, atol=check_atol, fill=input_fill, data=input_data,
                shapes={**options.overwrite_input_shapes, **(test_input_shapes or {})}, custom_lib=custom_lib,
                phases=listener)
        delivery = deliver(ir, path, 0 if save_as_external_data else threshold, comparison, listener)
    return SimplifyResult(ir, report, delivery)


__all__ = ["OptionError", "SimplifyResult", "simplify"]
