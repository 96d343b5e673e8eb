"""The test suite that the onnx wheel brings: models with inputs and the outputs that are expected."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

Feeds = Mapping[str, Any]
DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
FOLDERS = ("simple", "pytorch-converted", "pytorch-operator")
KINDS = ("node", *FOLDERS, "light")


@dataclass(frozen=True, slots=True)
class Case:
    """A model, and per data set the inputs by name and the expected outputs in order."""

    name: str
    kind: str
    model: onnx.ModelProto
    data_sets: tuple[tuple[Feeds, list[Any]], ...]
    rtol: float
    atol: float


def backend_cases(*kinds: str) -> Iterator[Case]:
    """The cases of these kinds (all when none is named) in a fixed order: `node`, the folders, `light`."""
    for kind in kinds or KINDS:
        if kind == "node":
            yield from node_cases()
        elif kind == "light":
            yield from light_cases()
        else:
            yield from folder_cases(kind)


def node_cases() -> Iterator[Case]:
    """What `onnx.backend.test.case.node` generates: a case or more for every operator."""
    from onnx.backend.test.case.node import collect_testcases

    with np.errstate(all="ignore"):
        collected = collect_testcases(None)
    for found in sorted(collected, key=lambda case: case.name):
        assert found.model is not None and found.data_sets is not None
        names = [info.name for info in found.model.graph.input]
        sets = tuple(
            (dict(zip(names, map(plain, inputs), strict=True)), list(map(plain, outputs)))
            for inputs, outputs in found.data_sets
        )
        yield Case(found.name, "node", found.model, sets, found.rtol, found.atol)


def folder_cases(kind: str) -> Iterator[Case]:
    """A folder of stored models, each with numbered inputs and outputs."""
    for folder in sorted((DATA / kind).iterdir()):
        if not (folder / "model.onnx").exists():
            continue
        model = onnx.load(folder / "model.onnx")
        given = {tensor.name for tensor in model.graph.initializer}
        inputs = [info for info in model.graph.input if info.name not in given]
        listed = inputs if len(list(folder.glob("test_data_set_0/input_*.pb"))) == len(inputs) else model.graph.input
        sets = []
        for stored in sorted(folder.glob("test_data_set_*")):
            feeds = {info.name: _stored(stored / f"input_{i}.pb", info.type) for i, info in enumerate(listed)}
            sets.append((feeds, [_stored(stored / f"output_{i}.pb", info.type)
                                 for i, info in enumerate(model.graph.output)]))  # fmt: skip
        settings = folder / "data.json"
        bounds = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
        yield Case(folder.name, kind, model, tuple(sets), bounds.get("rtol", 1e-3), bounds.get("atol", 1e-7))


def light_cases() -> Iterator[Case]:
    """Well-known networks whose weights are generated; the input is a ramp from 0 to 1."""
    for path in sorted((DATA / "light").glob("*.onnx")):
        model = onnx.load(path)
        given = {tensor.name for tensor in model.graph.initializer}
        feeds = {}
        for info in model.graph.input:
            if info.name not in given:
                shape = [dim.dim_value or 1 for dim in info.type.tensor_type.shape.dim]
                numel = int(np.prod(shape))
                feeds[info.name] = (np.arange(numel).reshape(shape) / numel).astype(np.float32)
        expected = [_stored(path.parent / f"{path.stem}_output_0.pb", model.graph.output[0].type)]
        yield Case(path.stem, "light", model, ((feeds, expected),), 1e-3, 1e-7)


def _stored(path: Path, kind: onnx.TypeProto) -> Any:
    messages = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}
    message: Any = messages.get(kind.WhichOneof("value") or "", onnx.TensorProto)
    return plain(message.FromString(path.read_bytes()))


def plain(value: Any) -> Any:
    """An array, None, or a list or dict of those, from what a case holds."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        return [plain(item) for item in numpy_helper.to_list(value)]
    if isinstance(value, onnx.OptionalProto):
        return plain(numpy_helper.to_optional(value))
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, dict) else np.asarray(value)
