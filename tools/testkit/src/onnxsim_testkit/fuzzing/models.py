"""Whole random models: grown of steps of some families, then dressed with what files hold besides nodes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from ..growth import FLOAT
from . import bodies, containers, elements, formulas, layers, moving, sizes, soup
from .case import RandomModel
from .dressing import DRESSES
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
# Types that onnxruntime has hardly any kernels for; onnx.reference moves them about.
RARE_TYPES = (
    TensorProto.COMPLEX64, TensorProto.COMPLEX64, TensorProto.COMPLEX128, TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2,
    TensorProto.FLOAT8E4M3FNUZ, TensorProto.FLOAT8E5M2FNUZ, TensorProto.FLOAT4E2M1, TensorProto.INT4, TensorProto.UINT4,
    TensorProto.INT2, TensorProto.UINT2, TensorProto.BFLOAT16, TensorProto.UINT16, TensorProto.UINT64,
)  # fmt: skip
RARE_OPSETS = (13, 18, 21, 23, 25, 25)


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
    rare = not families and rng.random() < 0.05
    if rare:
        g = Grower(rng, rng.choice(RARE_OPSETS), exact=True, reference=True)
        chosen = ("moving",)
    steps = [step for family in chosen for step in FAMILIES[family] if g.exact or step not in JUMPS]
    with_bodies = bodies.Bodies(lambda inner: inner.rng.choice(steps)).steps(g) if rng.random() < 0.35 else []
    inputs = [_input(g, RARE_TYPES if rare else (), first=not i) for i in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    for _ in range(4 * wanted):
        g.attempt(rng.choice(with_bodies) if with_bodies and rng.random() < 0.2 else rng.choice(steps))
        if len(g.nodes) >= wanted:
            break
    if not g.nodes:
        raise Reject
    return _assembled(g, inputs)


def _opset(rng: Random) -> int:
    return rng.choice((7, 8, 9, 10, 11, 12, 13, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 21, 22, 23, 24, NEWEST))


def _input(g: Grower, dtypes: tuple[int, ...], first: bool) -> str:
    """An input, of one of these types if there are any; else the first is mostly one that layers can begin with."""
    rng = g.rng
    pool = [g.rng.randrange(1, 7) for _ in range(2)] + [1, 2, 3, 4]
    plain = first and not dtypes and rng.random() < 0.7
    rank = rng.choice((2, 3, 4, 4) if plain else (0, 1, 2, 2, 3, 3, 4, 4, 4, 5))
    shape = tuple(0 if rng.random() < 0.02 else rng.choice(pool) for _ in range(rank))
    dtype = FLOAT if plain else rng.choice(dtypes or INPUT_TYPES)
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
    for dress in DRESSES:
        if rng.random() < 0.2:
            dress(model, g)
    fixed = {name: list(array.shape) for name, array in names.items()}
    case = RandomModel(model, [feeds], g.exact, fixed, g.definitions, g.reference)
    try:
        case.run(model, feeds)
    except Exception as error:
        raise Reject from error
    return replace(case, feeds=[feeds, *_other_feeds(g, case, names)])


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


def _other_feeds(g: Grower, case: RandomModel, names: Mapping[str, np.ndarray]) -> list[Mapping[str, Any]]:
    """Other numbers; and other sizes, where the model runs with them."""
    numbers = {name: _redrawn(g, array, array.shape) for name, array in names.items()}
    sizes: dict[str, int] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for info in case.model.graph.input:
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
            results = case.run(case.model, feeds)
        except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
            continue
        if all(_is_declared(info, results[info.name]) for info in case.model.graph.output):
            found.append(feeds)
    return found


def _is_declared(info: onnx.ValueInfoProto, result: Any) -> bool:
    """Has an output as many axes as it is declared to have? At other sizes a Squeeze may leave more, and nothing is right."""
    tensor = info.type.tensor_type
    return not (isinstance(result, np.ndarray) and tensor.HasField("shape")) or len(tensor.shape.dim) == result.ndim


def _redrawn(g: Grower, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    from .growing import dtype_of

    return g.numbers(dtype_of(array), shape)
