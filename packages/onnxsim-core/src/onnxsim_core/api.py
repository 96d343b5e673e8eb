"""`simplify()`: read, simplify, check on request, write."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .errors import OptionError
from .options import EXTERNAL_DATA_THRESHOLD, SimplifyOptions, parse_size, rounds_from_environment

if TYPE_CHECKING:
    from onnx import ModelProto

    from .passes.manager import Report


class SimplifyResult(Sequence[Any]):
    """What `simplify` gives: unpacks as `model, ok`.

    `model` is the simplified ModelProto, made when first asked for. `ok` is the verdict of the comparison (True when none
    was asked for). `report` says what was done; `path` is the file written, if any.
    """

    def __init__(self, make: Any, ok: bool, report: Report, path: str | None) -> None:
        self._make = make
        self._model: ModelProto | None = None
        self.ok = ok
        self.report = report
        self.path = path

    @property
    def model(self) -> ModelProto:
        if self._model is None:
            self._model = self._make()
        return self._model

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
) -> SimplifyResult:
    """Simplify a model; the result unpacks as `model_simp, ok`.

    Args:
        model: a path, the file's bytes, a ModelProto (never changed) or an onnx_ir.Model.
        check_n: how many comparisons with the original on generated inputs; `ok` is their verdict.
        output_path: also write the model there; large weights are then copied file to file and never loaded.

    Raises:
        ModelError: the model cannot be read, is invalid, or cannot be written.
        OptionError: an option is unknown, malformed or does not fit the model.
    """
    from .ir.read import read_model
    from .passes.manager import simplify_model

    skipped = frozenset(skipped_optimizers or ()) | (frozenset({"fuse_bn_into_conv"}) if skip_fuse_bn else frozenset())
    options = SimplifyOptions(
        optimize=perform_optimization, skipped_passes=skipped, extra_passes=tuple(extra_optimizers or ()),
        fold=not skip_constant_folding, infer=not skip_shape_inference, include_subgraph=include_subgraph,
        mutable_initializer=mutable_initializer, initializers_as_constants=initializers_as_constants,
        tensor_size_limit=None if tensor_size_threshold is None else parse_size(tensor_size_threshold),
        overwrite_input_shapes=dict(overwrite_input_shapes or {}), unused_outputs=tuple(unused_output or ()),
        max_rounds=rounds_from_environment(), providers=tuple(providers or ()), trace=trace)
    with paused_gc():
        ir = read_model(model)
        report = simplify_model(ir, options)
    threshold = EXTERNAL_DATA_THRESHOLD if external_data_threshold is None else parse_size(external_data_threshold)
    path = None
    if output_path is not None:
        from .ir.save import save_model

        path = os.fspath(output_path)
        save_model(ir, path, external_threshold=0 if save_as_external_data else threshold)

    def make() -> ModelProto:
        from .ir.save import model_proto

        return model_proto(ir)

    ok = True
    if check_n > 0:
        from .check import check_equal

        verdict = check_equal(model, make() if path is None else path, n=check_n, rtol=check_rtol, atol=check_atol,
                              fill=input_fill, input_shapes=test_input_shapes, input_data=input_data,
                              custom_lib=custom_lib)
        ok = verdict.ok
    return SimplifyResult(make, ok, report, path)


__all__ = ["OptionError", "SimplifyResult", "simplify"]
