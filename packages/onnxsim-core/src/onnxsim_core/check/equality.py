"""check_equal: run both models on the same inputs and compare every output."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import CheckError, OptionError
from ..ir.dtypes import BFLOAT16, FLOAT16
from ..ir.graph import Model
from ..passes.phases import NO_PHASES, Phases
from .compare import compare
from .feeds import check_arrays, check_fill, make_feeds, sizes_to_try
from .result import CheckResult, Mismatch
from .runners import Runner

_UNITS = {FLOAT16: 4 * 2.0 ** -11, BFLOAT16: 4 * 2.0 ** -8}


class Reference:
    """What the original gives on the inputs of a comparison: computed once, for any number of models to compare.

    Args:
        original: a path, bytes or a ModelProto; a path is run from disk.
        n: how many inputs, from `seed` on.
        input_shapes: sizes for symbolic dimensions of inputs, by input name.
        input_data: arrays to use instead of generated ones, by input name.
        phases: told of each run and session.

    Raises:
        OptionError: unknown fill or input name.
        CheckError: the original does not run on anything that could be made up for it.
    """

    def __init__(self, original: Any, *, n: int = 1, seed: int = 0, fill: str = "random",
                 input_shapes: Mapping[str, Sequence[int]] | None = None, input_data: Mapping[str, Any] | None = None,
                 custom_lib: str | None = None, phases: Phases = NO_PHASES) -> None:
        from ..ir.read import read_model

        check_fill(fill)
        self.n = n
        self.custom_lib = custom_lib
        self.phases = phases
        with on_disk(original) as path:
            model = read_model(path)
            _check_names(model, input_shapes, input_data)
            check_arrays(model, input_data or {})
            self.floor = tolerance_floor(model)
            self.sizes, self.feeds, self.expected = _reference(
                model, path, n, seed, fill, input_shapes, input_data, custom_lib, phases)

    def compare(self, model: Any, *, rtol: float = 1e-4, atol: float = 1e-5) -> CheckResult:
        """Run another model on the same inputs. One that does not run differs.

        Raises:
            CheckError: the models have no output in common.
        """
        rtol, atol = max(rtol, self.floor), max(atol, self.floor)
        with on_disk(model) as path:
            try:
                runner = Runner(path, custom_lib=self.custom_lib, phases=self.phases)
            except CheckError as error:
                return CheckResult(self.n, (Mismatch("", 0, error.message),), self.sizes)
            names = [name for name in self.expected[0] if name in runner.outputs]
            if not names and runner.outputs:
                raise CheckError("the models have no output in common, so there is nothing to compare")
            try:
                mismatches = list(self._mismatches(runner, names, rtol, atol))
            except CheckError as error:
                mismatches = [Mismatch("", 0, error.message)]
            runner.finish()
        return CheckResult(self.n, tuple(mismatches), self.sizes)

    def _mismatches(self, runner: Runner, names: list[str], rtol: float, atol: float) -> Iterator[Mismatch]:
        for run, (feed, wanted) in enumerate(zip(self.feeds, self.expected, strict=True)):
            self.phases.step("checking", run + 1, self.n)
            for name, value in zip(names, runner.run(feed, names), strict=True):
                found = compare(name, run, wanted[name], value, rtol=rtol, atol=atol)
                if found is not None:
                    yield found


def check_equal(original: Any, simplified: Any, *, n: int = 1, rtol: float = 1e-4, atol: float = 1e-5, seed: int = 0,
                fill: str = "random", input_shapes: Mapping[str, Sequence[int]] | None = None,
                input_data: Mapping[str, Any] | None = None, custom_lib: str | None = None,
                phases: Phases = NO_PHASES) -> CheckResult:
    """Compare two models, each a path, bytes or a ModelProto, on `n` seeded inputs; for the arguments see `Reference`.

    Raises:
        OptionError: unknown fill or input name.
        CheckError: the original does not run on anything that could be made up for it.
    """
    reference = Reference(original, n=n, seed=seed, fill=fill, input_shapes=input_shapes, input_data=input_data,
                          custom_lib=custom_lib, phases=phases)
    return reference.compare(simplified, rtol=rtol, atol=atol)


def tolerance_floor(model: Model) -> float:
    """The relative tolerance below which a comparison makes no sense: that of the model's coarsest floats.

    Four units in the last place of bfloat16 or float16, if any weight or input is of that type, else 0.
    """
    types = {value.dtype for graph in model.graphs() for value in (*graph.inputs, *graph.constants)}
    return max((_UNITS[dtype] for dtype in types if dtype in _UNITS), default=0.0)


def _check_names(model: Model, *given: Mapping[str, Any] | None) -> None:
    inputs = [value.name for value in model.graph.inputs]
    for names in given:
        for name in names or ():
            if name not in inputs:
                raise OptionError(f"the model has no input called {name!r}", hint="its inputs are " + ", ".join(inputs))


def _reference(model: Model, path: str, n: int, seed: int, fill: str, shapes: Mapping[str, Sequence[int]] | None,
               data: Mapping[str, Any] | None, custom_lib: str | None, phases: Phases) -> Any:
    """Sizes the original runs with, the inputs, and its outputs for each."""
    phases.step("checking", 0, n)
    runner = Runner(path, custom_lib=custom_lib, phases=phases)
    failure: CheckError | None = None
    given = {name: np.shape(value) for name, value in (data or {}).items() if hasattr(value, "shape")}
    for sizes in sizes_to_try(model, {**(shapes or {}), **given}):
        feeds = [make_feeds(model, sizes, seed=seed + run, fill=fill, shapes=shapes, data=data) for run in range(n)]
        try:
            results = [dict(zip(runner.outputs, runner.run(feed, runner.outputs), strict=True)) for feed in feeds]
        except CheckError as error:
            failure = failure or error
            continue
        runner.finish()
        return sizes, feeds, results
    kind = "these" if all(value.name in (data or {}) for value in model.graph.inputs) else "generated"
    raise CheckError(f"the original model does not run on {kind} inputs: {failure.message if failure else ''}",
                     hint="fix sizes with test_input_shapes (--test-input-shape) or give inputs with input_data"
                     if kind == "generated" else "") from failure


@contextmanager
def on_disk(model: Any) -> Iterator[str]:
    """A path to the model: its own, or a temporary file with weights outside."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    from ..ir.read import read_model
    from ..ir.save import save_model

    with tempfile.TemporaryDirectory(prefix="onnxsim-check-") as folder:
        path = os.path.join(folder, "model.onnx")
        save_model(read_model(model), path, external_threshold=1 << 29)
        yield path
