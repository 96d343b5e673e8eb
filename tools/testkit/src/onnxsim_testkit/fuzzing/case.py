"""A random model with what it is fed, and how it is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx

from ..running import run, run_reference

FUNCTIONS_SINCE_IR = 8


@dataclass(frozen=True, slots=True)
class RandomModel:
    """A model that runs on each of `feeds`; with `exact`, nothing that it computes on the first is rounded.

    The first feeds are those it was grown with. `fixed` are its inputs' sizes there, for inputs whose declaration leaves
    sizes open. `definitions` say what its custom operators compute: the model does not hold them, so that a simplifier
    knows nothing of these, and gets them to be run. With `reference`, onnx.reference runs it, for types that onnxruntime
    has no kernels for.
    """

    model: onnx.ModelProto
    feeds: Sequence[Mapping[str, Any]]
    exact: bool
    fixed: dict[str, list[int]] = field(default_factory=dict)
    definitions: Sequence[onnx.FunctionProto] = ()
    reference: bool = False

    def run(self, model: onnx.ModelProto, feeds: Mapping[str, Any], optimize: bool = False) -> dict[str, Any]:
        """What a model computes that came of this one, or is it."""
        if self.definitions:
            complete = onnx.ModelProto()
            complete.CopyFrom(model)
            complete.functions.extend(self.definitions)
            complete.ir_version = max(complete.ir_version, FUNCTIONS_SINCE_IR)
            model = complete
        return run_reference(model, feeds) if self.reference else run(model, feeds, optimize)
