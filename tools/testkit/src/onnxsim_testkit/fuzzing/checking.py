"""What must hold of a simplified random model: it computes the same, and simplifying is stable under what means nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import onnx

from .case import RandomModel
from .differences import BOUNDS, difference, narrowest, sensitivity
from .excuses import is_cast_beyond, is_garbage, is_lost_text, is_missized, is_outgrown, is_refused_folded
from .renaming import all_graphs, outline, renamed

Simplify = Callable[..., onnx.ModelProto]
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0)


class Mismatch(AssertionError):
    """The simplified model computes something else."""


def check(case: RandomModel, simplify: Simplify, **options: Any) -> onnx.ModelProto:
    """Simplify a random model and compare on all its feeds; gives the simplified model.

    Raises:
        Mismatch: an output differs, or the simplified model does not run.
    """
    simplified = without_harm(simplify, case.model, **options)
    assert_valid(case, simplified, fixed=bool(options.get("overwrite_input_shapes")))
    assert_equal(case, simplified)
    return simplified


def without_harm(simplify: Simplify, model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    """The simplified model, when the one that was given is still what it was."""
    before = model.SerializeToString(deterministic=True)
    simplified = simplify(model, **options)
    if model.SerializeToString(deterministic=True) != before:
        raise Mismatch("the caller's model was changed")
    return simplified


def assert_valid(case: RandomModel, simplified: onnx.ModelProto, fixed: bool = False) -> None:
    """Same interface, and nothing for onnx's checker to find that it does not find in the original.

    With `fixed`, sizes were given that the original leaves open.
    """
    original = case.model
    given = {tensor.name for tensor in original.graph.initializer}
    wanted = [info for info in original.graph.input if info.name not in given]
    names = {info.name for info in wanted}
    _assert_declared("inputs", [info for info in simplified.graph.input if info.name in names], wanted, fixed)
    _assert_declared("outputs", simplified.graph.output, original.graph.output, fixed)
    _assert_operators_kept(original, simplified)
    if original.graph.sparse_initializer:
        return  # the checker takes none for an input of any operator, if it comes to know that it is one
    try:
        onnx.checker.check_model(simplified, full_check=True)
    except Exception as error:
        try:
            onnx.checker.check_model(original, full_check=True)
        except Exception:  # noqa: BLE001  the checker's errors have no common base
            return
        if not is_missized(case):
            raise Mismatch(f"onnx's checker refuses the simplified model: {error}") from error


def _assert_declared(kind: str, found: Iterable[Any], wanted: Iterable[Any], fixed: bool) -> None:
    """The same names in the same order, with the same types and, but for ones that were open, the same sizes."""
    left, right = [info.name for info in found], [info.name for info in wanted]
    if left != right:
        raise Mismatch(f"{kind} {left}, expected {right}")
    for info, before in zip(found, wanted, strict=True):
        old, new = before.type.tensor_type, info.type.tensor_type
        if old.elem_type and new.elem_type != old.elem_type:
            raise Mismatch(f"{kind}: {info.name} is declared to have another type")
        if fixed or not old.HasField("shape"):
            continue
        if len(old.shape.dim) != len(new.shape.dim):
            raise Mismatch(f"{kind}: {info.name} is declared to have another rank")
        for stated, size in zip(old.shape.dim, new.shape.dim, strict=True):
            if stated.WhichOneof("value") and size != stated:
                raise Mismatch(f"{kind}: {info.name} is declared to have another size")


def _assert_operators_kept(original: onnx.ModelProto, simplified: onnx.ModelProto) -> None:
    """Custom operators stand there as they stood."""
    left, right = Counter(_custom(simplified)), Counter(_custom(original))
    if left - right:
        raise Mismatch(f"custom operators {dict(left - right)} were not there")


def _custom(model: onnx.ModelProto) -> Iterator[str]:
    nodes = [node for graph in all_graphs(model.graph) for node in graph.node]
    nodes += [node for function in model.functions for node in function.node]
    for node in nodes:
        if node.domain == "com.example":
            attributes = sorted(str(attribute) for attribute in node.attribute)
            yield f"{node.op_type}/{len(node.input)}/{len(node.output)} {attributes}"


def assert_equal(case: RandomModel, simplified: onnx.ModelProto) -> None:
    """The outputs are those of the original: the same bits if nothing rounds, else as near as its own rounding allows."""
    for number, feeds in enumerate(case.feeds):
        expected = case.run(case.model, feeds)
        try:
            actual = case.run(simplified, feeds)
        except Exception as error:
            if is_refused_folded(case, feeds):
                return
            raise Mismatch(f"feeds {number}: the simplified model does not run: {error}") from error
        exact = case.exact and number == 0
        spreads: dict[int, dict[str, Any]] = {}
        for name, wanted in expected.items():
            fault = difference(actual[name], wanted, exact=exact)
            for rounds in (4, 40) if fault and not exact else ():
                if rounds not in spreads:
                    spreads[rounds] = sensitivity(case, feeds, expected, rounds)
                least = narrowest(case.model)
                fault = difference(actual[name], wanted, exact=False, spread=spreads[rounds].get(name), least=least)
                if not fault:
                    break
            if fault and is_lost_text(case.model, feeds, name, actual[name]):
                fault = ""
            if fault and not any(excuse(case, feeds) for excuse in (is_garbage, is_outgrown, is_cast_beyond)):
                raise Mismatch(f"feeds {number}, output {name}: {fault}")


# --- everything at once ------------------------------------------------------------------------------------------------
OPTIONS: tuple[dict[str, Any], ...] = (
    {"include_subgraph": False},
    {"initializers_as_constants": False},
    {"skip_constant_folding": True},
    {"skip_shape_inference": True},
    {"mutable_initializer": True},
    {"tensor_size_threshold": 0},
    {"tensor_size_threshold": 10**9},
    {"perform_optimization": False},
)
# Sums of products are reassociated, and infinity times nothing is no number in one order only; and onnxruntime finds
# the largest of numbers and NaN by the way it goes through memory, and leaves NaN where a Sign of halves overwrites it.
ORDERED = {"MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum", "ReduceMax", "ReduceMin", "Sign"}


def examine(case: RandomModel, simplify: Simplify, seed: int) -> tuple[onnx.ModelProto, str]:
    """Everything that must hold of one random model; gives the simplified model and what does not hold, if anything."""
    stages: list[tuple[str, Callable[[], None]]] = []
    simplified = case.model
    try:
        simplified = check(case, simplify)
    except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
        return simplified, f"plainly: {one_line(error)}"
    stages = [
        ("again", lambda: assert_stable(simplified, simplify)),
        ("renamed", lambda: assert_same_outline(simplified, without_harm(simplify, renamed(case.model, seed)))),
        ("with special numbers", lambda: _assert_special(case, simplified, seed)),
        ("with sizes given", lambda: _assert_static(case, simplify)),
    ]
    options = OPTIONS[seed % len(OPTIONS)]
    stages.append((f"with {options}", lambda: _ignore(check(case, simplify, **options))))
    for name, stage in stages:
        try:
            stage()
        except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
            return simplified, f"{name}: {one_line(error)}"
    return simplified, ""


def _ignore(result: object) -> None:
    """The check is all that is wanted."""


def one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]


def assert_stable(simplified: onnx.ModelProto, simplify: Simplify) -> None:
    """Simplifying again changes nothing."""
    assert_same_outline(simplified, without_harm(simplify, simplified))


def assert_same_outline(expected: onnx.ModelProto, actual: onnx.ModelProto) -> None:
    """The same operators in the same graphs."""
    left, right = Counter(outline(expected)), Counter(outline(actual))
    if left != right:
        raise Mismatch(f"{dict(left - right)} became {dict(right - left)}")


def _assert_special(case: RandomModel, simplified: onnx.ModelProto, seed: int) -> None:
    kinds = {node.op_type for graph in all_graphs(case.model.graph) for node in graph.node}
    kinds |= {node.op_type for function in (*case.model.functions, *case.definitions) for node in function.node}
    # The whole number that a NaN becomes ends onnxruntime where it is divided by -1.
    divides = kinds & {"Div", "Mod"} and kinds & {"Cast", "CastLike"}
    special = with_special_numbers(case, seed) if case.exact and not kinds & ORDERED and not divides else None
    if special is not None:
        assert_equal(special, simplified)


def _assert_static(case: RandomModel, simplify: Simplify) -> None:
    tensors = [info.type.tensor_type for info in case.model.graph.input]
    if all(tensor.HasField("shape") for tensor in tensors):
        first = replace(case, feeds=case.feeds[:1])
        check(first, simplify, overwrite_input_shapes=case.fixed)


# --- what means nothing ------------------------------------------------------------------------------------------------
def with_special_numbers(case: RandomModel, seed: int) -> RandomModel | None:
    """The same model fed with NaN, infinities and zeros of both signs among the numbers; None if it takes no floats."""
    rng = np.random.default_rng(seed)
    feeds = {}
    for name, value in case.feeds[0].items():
        if isinstance(value, np.ndarray) and value.dtype.name in BOUNDS and value.size:
            spread = rng.random(value.shape) < 0.25
            special = rng.choice(SPECIAL, size=value.shape)
            feeds[name] = np.where(spread, special, value.astype(np.float64)).astype(value.dtype)
        else:
            feeds[name] = value
    if all(feeds[name] is case.feeds[0][name] for name in feeds):
        return None
    try:
        case.run(case.model, feeds)
    except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
        return None
    return replace(case, feeds=[feeds])
