"""check_equal: run both models on the same inputs and compare every output."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import CheckError, OptionError
from ..ir.graph import Model
from ..passes.phases import NO_PHASES, Phases
from .compare import compare
from .feeds import FILLS, make_feeds, sizes_to_try
from .result import CheckResult, Mismatch
from .runners import Runner


def check_equal(original: Any, simplified: Any, *, n: int = 1, rtol: float = 1e-4, atol: float = 1e-5, seed: int = 0,
                fill: str = "random", input_shapes: Mapping[str, Sequence[int]] | None = None,
                input_data: Mapping[str, Any] | None = None, custom_lib: str | None = None,
                phases: Phases = NO_PHASES) -> CheckResult:
    """Compare two models on `n` seeded inputs.

    Args:
        original, simplified: paths, bytes or ModelProtos; a path is run from disk.
        input_shapes: sizes for symbolic dimensions of inputs, by input name.
        input_data: arrays to use instead of generated ones, by input name.
        phases: told of each run and session.

    Raises:
        OptionError: unknown fill or input name.
        CheckError: the original does not run on anything that could be made up for it.
    """
    from ..ir.read import read_model

    if fill not in FILLS:
        raise OptionError(f"input_fill is one of {', '.join(FILLS)}, not {fill!r}")
    with on_disk(original) as a, on_disk(simplified) as b:
        model = read_model(a)
        _check_names(model, input_shapes, input_data)
        sizes, feeds, expected = _reference(model, a, n, seed, fill, input_shapes, input_data, custom_lib, phases)
        runner = Runner(b, custom_lib=custom_lib, phases=phases)
        names = [name for name in expected[0] if name in runner.outputs]
        mismatches: list[Mismatch] = []
        for run, (feed, wanted) in enumerate(zip(feeds, expected, strict=True)):
            phases.step("checking", run + 1, n)
            for name, value in zip(names, runner.run(feed, names), strict=True):
                found = compare(name, run, wanted[name], value, rtol=rtol, atol=atol)
                if found is not None:
                    mismatches.append(found)
        runner.finish()
        return CheckResult(n, tuple(mismatches), sizes)


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
    for sizes in sizes_to_try(model, shapes or {}):
        feeds = [make_feeds(model, sizes, seed=seed + run, fill=fill, shapes=shapes, data=data) for run in range(n)]
        try:
            results = [dict(zip(runner.outputs, runner.run(feed, runner.outputs), strict=True)) for feed in feeds]
        except CheckError as error:
            failure = failure or error
            continue
        runner.finish()
        return sizes, feeds, results
    raise CheckError(f"the original model does not run on generated inputs: {failure.message if failure else ''}",
                     hint="fix sizes with test_input_shapes (--test-input-shape) or give inputs with input_data"
                     ) from failure


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
