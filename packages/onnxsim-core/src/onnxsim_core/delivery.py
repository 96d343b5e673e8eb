"""The end of a run: the simplified model is written, and compared with the original before it replaces anything."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .check import Reference
    from .check.result import CheckResult
    from .ir.graph import Model
    from .passes.phases import Phases


@dataclass(slots=True, kw_only=True)
class Comparison:
    """A comparison with the original that waits for files to compare; none is made when `n` is 0.

    The original runs once, before the first comparison.
    """

    original: Any
    n: int
    rtol: float
    atol: float
    fill: str
    shapes: Mapping[Any, Sequence[int | str]]
    data: Mapping[str, Any] | None
    custom_lib: str | None
    phases: Phases
    reference: Reference | None = None

    def validate(self, model: Model) -> dict[str, list[int]]:
        """Check what the comparison is given against the model; gives the shapes by input name.

        Raises:
            OptionError: a name is no input, or the way to fill inputs is unknown.
        """
        if not self.n and not self.data and not self.shapes and self.fill == "random":
            return {}
        from .check.feeds import check_fill
        from .passes.input_shapes import resolve_names

        check_fill(self.fill)
        names = [value.name for value in model.graph.inputs]
        required = [value.name for value in model.graph.inputs if value.tensor is None]
        resolve_names(dict.fromkeys(self.data or (), ()), names)
        found = resolve_names(self.shapes, required if None in self.shapes else names)
        return {name: [size if isinstance(size, int) else 0 for size in sizes] for name, sizes in found.items()}

    def run(self, model: Model, path: str) -> CheckResult:
        """Compare the original with the model at `path`."""
        from .check import Reference

        shapes = self.validate(model)
        with self.phases.phase("Check"):
            if self.reference is None:
                self.reference = Reference(self.original, n=self.n, fill=self.fill, input_shapes=shapes,
                                           input_data=self.data, custom_lib=self.custom_lib, phases=self.phases)
            return self.reference.compare(path, rtol=self.rtol, atol=self.atol)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of it: the verdict if one was asked for, the file if one was written, the model's size in bytes."""

    check: CheckResult | None = None
    path: str | None = None
    nbytes: int | None = None


def deliver(model: Model, path: str | None, threshold: int, comparison: Comparison, phases: Phases) -> Delivery:
    """Write and compare, as far as each is wanted; a model that is not equal to the original takes nothing's place."""
    from .ir.save import save_model, spare_sources
    from .ir.stage import StagedModel

    def written(done: int, total: int) -> None:
        phases.step("writing", done, total)

    if path is not None:
        spare_sources(model, path, threshold)
    if comparison.n <= 0:
        if path is None:
            return Delivery()
        with phases.phase("Write"):
            return Delivery(None, path, save_model(model, path, external_threshold=threshold, progress=written))
    if path is None:
        with tempfile.TemporaryDirectory(prefix="onnxsim-check-") as folder:
            made = os.path.join(folder, "model.onnx")
            nbytes = save_model(model, made, external_threshold=1 << 29)
            return Delivery(comparison.run(model, made), None, nbytes)
    with phases.phase("Write"):
        staged = StagedModel(model, path, external_threshold=threshold, progress=written)
    with staged:
        check = comparison.run(model, staged.path)
        if check.ok:
            staged.commit()
        return Delivery(check, path if check.ok else None, staged.nbytes)
