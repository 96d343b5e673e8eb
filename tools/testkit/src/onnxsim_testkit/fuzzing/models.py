"""Whole random models: grown of steps of some families, then dressed with what files hold besides nodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from ..growth import FLOAT
from ..running import run
from . import bodies, containers, elements, formulas, layers, moving, sizes, soup
from .growing import BOOL, DOUBLE, FLOAT16, INT32, INT64, Grower, Reject, known, reads_and_makes

Step = Callable[[Grower], object]
NEWEST = 25
FAMILIES: dict[str, tuple[Step, ...]] = {
    "elements": elements.ELEMENTS,
    "moving": moving.MOVES,
    "layers": layers.LAYERS,
    "formulas": formulas.FORMULAS,
    "sizes": sizes.SIZES,
    "containers": containers.CONTAINERS,
    "soup": soup.SOUP,
}
JUMPS = {*elements.JUMPS, *moving.JUMPS, *sizes.JUMPS, *containers.JUMPS}
INPUT_TYPES = (
    FLOAT, FLOAT, FLOAT, FLOAT, FLOAT, INT64, INT32, BOOL, DOUBLE, FLOAT16, TensorProto.UINT8, TensorProto.INT8,
    TensorProto.STRING, TensorProto.INT16, TensorProto.UINT32,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RandomModel:
    """A model that runs on each of `feeds`; with `exact`, nothing that it computes on the first is rounded.

    The first feeds are those it was grown with. `fixed` are its inputs' sizes there, for inputs whose declaration leaves
    sizes open.
    """

    model: onnx.ModelProto
    feeds: Sequence[Mapping[str, Any]]
    exact: bool
    fixed: dict[str, list[int]] = field(default_factory=dict)


def random_graph(seed: int, nodes: int = 0, exact: bool | None = None, families: tuple[str, ...] = ()) -> RandomModel:
    """The model of a seed.

    Args:
        seed: decides everything else.
        nodes: about how many steps; 0 leaves it to the seed.
        exact: only operators that do not round; left to the seed when it is None.
        families: what the steps are taken from; left to the seed when empty.

    Raises:
        Reject: nothing came of this seed.
    """
    rng = Random(seed)
    wanted = nodes or rng.choice((2, 4, 6, 8, 10, 14, 20, 30))
    chosen = families or tuple(rng.sample(sorted(FAMILIES), rng.choice((1, 2, 2, 3, 4))))
    g = Grower(rng, _opset(rng), exact=rng.random() < 0.5 if exact is None else exact)
    steps = [step for family in chosen for step in FAMILIES[family] if g.exact or step not in JUMPS]
    with_bodies = bodies.Bodies(lambda inner: inner.rng.choice(steps)).steps() if rng.random() < 0.35 else []
    inputs = [_input(g, first=not i) for i in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    for _ in range(4 * wanted):
        g.attempt(rng.choice(with_bodies) if with_bodies and rng.random() < 0.2 else rng.choice(steps))
        if len(g.nodes) >= wanted:
            break
    if not g.nodes:
        raise Reject
    return _assembled(g, inputs)


def _opset(rng: Random) -> int:
    return rng.choice((7, 9, 10, 11, 12, 13, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 21, 22, 23, 24, NEWEST))


def _input(g: Grower, first: bool) -> str:
    """An input; the first is mostly one that layers can begin with."""
    rng = g.rng
    pool = [g.rng.randrange(1, 7) for _ in range(2)] + [1, 2, 3, 4]
    plain = first and rng.random() < 0.7
    rank = rng.choice((2, 3, 4, 4) if plain else (0, 1, 2, 2, 3, 3, 4, 4, 4, 5))
    shape = tuple(0 if rng.random() < 0.02 else rng.choice(pool) for _ in range(rank))
    dtype = FLOAT if plain else rng.choice(INPUT_TYPES)
    if dtype == FLOAT16 and rng.random() < 0.5:
        dtype = FLOAT
    name = g.fresh("x")
    g.arrays[name] = g.numbers(dtype, shape)
    g.values.append(known(name, g.arrays[name]))
    return name


def _assembled(g: Grower, inputs: list[str]) -> RandomModel:
    rng = g.rng
    names = {name: g.arrays[name] for name in inputs}
    declared = [_declared(g, name, names[name], by_size={}) for name in inputs]
    graph = helper.make_graph(g.nodes, "random", declared, _outputs(g, inputs), g.initializers)
    model = g.model(graph)
    feeds = dict(names)
    for dress in (repeat_constants, expose_constants, expose_inputs, wrap_in_function, state_shapes, make_overridable):
        if rng.random() < 0.2:
            dress(model, g)
    try:
        run(model, feeds)
    except Exception as error:
        raise Reject from error
    fixed = {name: list(array.shape) for name, array in names.items()}
    return RandomModel(model, [feeds, *_other_feeds(g, model, names)], g.exact, fixed)


def _declared(g: Grower, name: str, array: np.ndarray, by_size: dict[int, str]) -> onnx.ValueInfoProto:
    """An input with its sizes, with names for some (one name for equal sizes), or with neither sizes nor rank."""
    rng = g.rng
    info = g.type_of(name, array)
    if rng.random() < 0.3:
        return info
    if rng.random() < 0.06:
        info.type.tensor_type.ClearField("shape")
        return info
    for dim, size in zip(info.type.tensor_type.shape.dim, array.shape, strict=True):
        kind = rng.random()
        if kind < 0.4:
            dim.dim_param = by_size.setdefault(size, f"size{size}") if rng.random() < 0.7 else g.fresh("d")
        elif kind < 0.5:
            dim.ClearField("dim_value")
    return info


def _outputs(g: Grower, inputs: list[str]) -> list[onnx.ValueInfoProto]:
    results = {name for node in g.nodes for name in node.output}
    made = [v for v in g.values if v.name in results]
    sequences = [name for node in g.nodes for name in node.output if isinstance(g.arrays.get(name), list)]
    if not made and not sequences:
        raise Reject
    reads, _ = reads_and_makes(g.nodes)
    chosen = [v for v in made if v.name not in reads or g.rng.random() < 0.1] or made[-1:]
    outputs = []
    for v in chosen:
        kind = g.rng.random()
        shape = None if kind < 0.2 else [None] * len(v.shape)
        outputs.append(helper.make_tensor_value_info(v.name, v.dtype, shape))
    outputs += [onnx.ValueInfoProto(name=name, type=g.type_of(name, g.arrays[name]).type)
                for name in sequences if name not in reads and g.arrays[name]]  # fmt: skip
    if not outputs:
        raise Reject
    return outputs


def _other_feeds(g: Grower, model: onnx.ModelProto, names: Mapping[str, np.ndarray]) -> list[Mapping[str, Any]]:
    """Other numbers; and other sizes, where the model runs with them."""
    numbers = {name: _redrawn(g, array, array.shape) for name, array in names.items()}
    sizes: dict[str, int] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for info in model.graph.input:
        if info.name not in names:
            continue
        shape = list(names[info.name].shape)
        for axis, dim in enumerate(info.type.tensor_type.shape.dim):
            if dim.dim_param:
                shape[axis] = sizes.setdefault(dim.dim_param, g.rng.randrange(1, 6))
            elif not dim.HasField("dim_value"):
                shape[axis] = g.rng.randrange(1, 6)
        shapes[info.name] = tuple(shape)
    resized = {name: _redrawn(g, array, shapes.get(name, array.shape)) for name, array in names.items()}
    found: list[Mapping[str, Any]] = []
    for feeds in (numbers, resized):
        try:
            run(model, feeds)
        except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
            continue
        found.append(feeds)
    return found


def _redrawn(g: Grower, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    from .growing import dtype_of

    return g.numbers(dtype_of(array), shape)


# --- dressing ----------------------------------------------------------------------------------------------------------
def repeat_constants(model: onnx.ModelProto, g: Grower) -> None:
    """Initializers twice under two names, ones nobody reads, and doc strings."""
    graph = model.graph
    for tensor in list(graph.initializer):
        if g.chance(0.4):
            copy = graph.initializer.add()
            copy.CopyFrom(tensor)
            copy.name = g.fresh("again")
            for node in graph.node:
                if g.chance(0.5):
                    node.input[:] = [copy.name if name == tensor.name else name for name in node.input]
    unused = graph.initializer.add()
    unused.CopyFrom(onnx.numpy_helper.from_array(np.arange(3.0), g.fresh("unused")))
    graph.doc_string = "a graph"


def expose_constants(model: onnx.ModelProto, g: Grower) -> None:
    """An initializer that is an output of the graph."""
    if model.graph.initializer:
        tensor = g.rng.choice(list(model.graph.initializer))
        model.graph.output.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))


def expose_inputs(model: onnx.ModelProto, g: Grower) -> None:
    """An input that is an output of the graph; not of strings, of which onnxruntime then gives empty ones."""
    info = g.rng.choice(list(model.graph.input))
    if info.type.tensor_type.elem_type != TensorProto.STRING:
        model.graph.output.append(info)


def make_overridable(model: onnx.ModelProto, g: Grower) -> None:
    """Initializers that are inputs with a default."""
    for tensor in model.graph.initializer:
        if g.chance(0.4):
            model.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))


def state_shapes(model: onnx.ModelProto, g: Grower) -> None:
    """What onnx infers of the values between."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=g.chance(0.5))
    except onnx.shape_inference.InferenceError:
        return
    model.graph.value_info.extend(inferred.graph.value_info)


def wrap_in_function(model: onnx.ModelProto, g: Grower) -> None:
    """Some nodes in a row become a function of the model, called once or twice."""
    graph = model.graph
    if g.opset < 15 or len(graph.node) < 2:
        return
    start = g.rng.randrange(len(graph.node) - 1)
    end = g.rng.randrange(start + 1, min(len(graph.node), start + 5) + 1)
    inside = list(graph.node)[start:end]
    reads, made = reads_and_makes(inside)
    after, _ = reads_and_makes(list(graph.node)[end:])
    after |= {output.name for output in graph.output}
    inputs = sorted(reads - made)
    outputs = [name for node in inside for name in node.output if name in after]
    if not outputs:
        return
    # A function may well have the name of an operator, and be another one.
    name = g.fresh("F")
    # (onnxruntime itself ends at a function called Add that has one input.)
    alike = {"Conv", "Expand", "Relu", "Reshape", "Shape", "Transpose"} | ({"Add", "Mul"} if len(inputs) > 1 else set())
    alike -= {node.op_type for node in inside}
    if g.chance(0.5):
        name = g.rng.choice(sorted(alike))
    imports = [helper.make_opsetid("", g.opset)]
    function = helper.make_function("local", name, inputs, outputs, inside, imports)
    call = helper.make_node(name, inputs, outputs, domain="local", name=g.fresh("n_"))
    nodes = [*list(graph.node)[:start], call, *list(graph.node)[end:]]
    del graph.node[:]
    graph.node.extend(nodes)
    model.functions.append(function)
    model.ir_version = max(model.ir_version, 10)
    if not any(entry.domain == "local" for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid("local", 1))
