"""What must hold of a simplified random model: it computes the same, and simplifying is stable under what means nothing."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from ..running import run, run_reference
from .models import RandomModel
from .renaming import all_graphs, outline, renamed

Simplify = Callable[..., onnx.ModelProto]
# Relative bounds for what is computed with rounding, by the narrowest float type in the model.
BOUNDS = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-4}
FLOAT_TYPES = {"float16": onnx.TensorProto.FLOAT16, "bfloat16": onnx.TensorProto.BFLOAT16}
UNLIMITED = 10**9
STORED_FREELY = 1024
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0)


class Mismatch(AssertionError):
    """The simplified model computes something else."""


def check(case: RandomModel, simplify: Simplify, **options: Any) -> onnx.ModelProto:
    """Simplify a random model and compare on all its feeds; gives the simplified model.

    Raises:
        Mismatch: an output differs, or the simplified model does not run.
    """
    simplified = without_harm(simplify, case.model, **options)
    assert_valid(case.model, simplified)
    assert_equal(case, simplified)
    return simplified


def without_harm(simplify: Simplify, model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    """The simplified model, when the one that was given is still what it was."""
    before = model.SerializeToString(deterministic=True)
    simplified = simplify(model, **options)
    if model.SerializeToString(deterministic=True) != before:
        raise Mismatch("the caller's model was changed")
    return simplified


def assert_valid(original: onnx.ModelProto, simplified: onnx.ModelProto) -> None:
    """Same interface, and nothing for onnx's checker to find that it does not find in the original."""
    given = {tensor.name for tensor in original.graph.initializer}
    wanted = [info.name for info in original.graph.input if info.name not in given]
    found = [info.name for info in simplified.graph.input]
    if [name for name in found if name in wanted] != wanted:
        raise Mismatch(f"inputs {found}, expected {wanted}")
    if [info.name for info in simplified.graph.output] != [info.name for info in original.graph.output]:
        raise Mismatch(f"outputs {[info.name for info in simplified.graph.output]}")
    try:
        onnx.checker.check_model(simplified, full_check=True)
    except Exception as error:
        try:
            onnx.checker.check_model(original, full_check=True)
        except Exception:  # noqa: BLE001  the checker's errors have no common base
            return
        raise Mismatch(f"onnx's checker refuses the simplified model: {error}") from error


def assert_equal(case: RandomModel, simplified: onnx.ModelProto) -> None:
    """The outputs are those of the original: the same bits if nothing rounds, else as near as its own rounding allows."""
    for number, feeds in enumerate(case.feeds):
        expected = run(case.model, feeds)
        try:
            actual = run(simplified, feeds)
        except Exception as error:
            if _is_refused_folded(case.model, feeds):
                return
            raise Mismatch(f"feeds {number}: the simplified model does not run: {error}") from error
        exact = case.exact and number == 0
        spreads: dict[int, dict[str, Any]] = {}
        for name, wanted in expected.items():
            fault = difference(actual[name], wanted, exact=exact)
            for rounds in (4, 40) if fault and not exact else ():
                if rounds not in spreads:
                    spreads[rounds] = sensitivity(case.model, feeds, expected, rounds)
                least = narrowest(case.model)
                fault = difference(actual[name], wanted, exact=False, spread=spreads[rounds].get(name), least=least)
                if not fault:
                    break
            if fault and _is_lost_text(case.model, feeds, name, actual[name]):
                fault = ""
            if fault and not any(excuse(case, feeds) for excuse in (_is_garbage, _is_outgrown, _is_cast_beyond)):
                raise Mismatch(f"feeds {number}, output {name}: {fault}")


def _is_garbage(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Does the original itself give something else each time, because onnxruntime leaves memory as it was?"""
    expected, *others = [run(case.model, feeds) for _ in range(4)]
    return any(difference(other[name], expected[name], exact=True) for other in others for name in expected)


def _is_cast_beyond(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Is a float cast to an integer type that does not hold it? What comes of that is left to the processor."""
    casts = {node.input[0]: attribute.i for node in case.model.graph.node if node.op_type == "Cast"
             for attribute in node.attribute if attribute.name == "to"}  # fmt: skip
    inner = onnx.ModelProto()
    inner.CopyFrom(case.model)
    known = {info.name for info in (*inner.graph.output, *inner.graph.input)}
    inner.graph.output.extend(onnx.ValueInfoProto(name=name) for name in casts if name not in known)
    found = {**feeds, **run(inner, feeds)}
    for name, kind in casts.items():
        value, dtype = found[name], onnx.helper.tensor_dtype_to_np_dtype(kind)
        if dtype.kind in "iu" and value.dtype.kind == "f":
            limits = np.iinfo(dtype)
            if not ((value >= limits.min) & (value <= limits.max)).all():
                return True
    return False


def _is_lost_text(model: onnx.ModelProto, feeds: Mapping[str, Any], name: str, actual: Any) -> bool:
    """Is this the text that onnx.reference gives? onnxruntime forgets words on their way, as from a Gather to an Identity."""
    if not isinstance(actual, np.ndarray) or actual.dtype.kind not in "OUS":
        return False
    try:
        wanted = run_reference(model, feeds)[name]
    except Exception:  # noqa: BLE001  the reference knows fewer operators
        return False
    return not difference(actual, wanted, exact=True)


def _is_outgrown(case: RandomModel, feeds: Mapping[str, Any]) -> bool:
    """Does the model make no sense with inputs of these sizes, which onnxruntime does not notice?

    It takes the pieces of a Concat by turns, whatever they measure, if some are empty, and leaves memory between them.
    """
    return _is_consistent(case.model, case.feeds[0]) and not _is_consistent(case.model, feeds)


def _is_consistent(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> bool:
    sized = onnx.ModelProto()
    sized.CopyFrom(model)
    for info in sized.graph.input:
        if isinstance(feeds.get(info.name), np.ndarray):
            info.type.tensor_type.shape.ClearField("dim")
            for size in feeds[info.name].shape:
                info.type.tensor_type.shape.dim.add().dim_value = size
    try:
        onnx.shape_inference.infer_shapes(sized, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError:
        return False
    return True


def _is_refused_folded(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> bool:
    """Is the model invalid, but so that onnxruntime too finds out only when it folds constants?"""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    given = {tensor.name for tensor in model.graph.initializer}
    inputs = [info for info in model.graph.input if info.name not in given]
    del fixed.graph.input[:]
    fixed.graph.input.extend(inputs)
    try:
        run(fixed, feeds, optimize=True)
    except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
        return True
    return False


def narrowest(model: onnx.ModelProto) -> float:
    """The bound for the narrowest float type that occurs in a model."""
    text = onnx.printer.to_text(model)
    found = [name for name in ("bfloat16", "float16") if name in text or f"to: int = {FLOAT_TYPES[name]}" in text]
    return max((BOUNDS[name] for name in found), default=0.0)


def difference(actual: Any, expected: Any, *, exact: bool, spread: Any = None, least: float = 0.0) -> str:
    """What differs, or nothing.

    `spread` is by how much the expected value moves when inputs move by rounding, `least` a lower limit for the bound.
    """
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{actual!r} instead of {expected!r}"
        pairs = zip(actual, expected, strict=True)
        return next((fault for pair in pairs if (fault := difference(*pair, exact=exact, least=least))), "")
    if expected is None or actual is None:
        return "" if actual is expected else f"{actual!r} instead of {expected!r}"
    left, right = np.asarray(actual), np.asarray(expected)
    if left.dtype != right.dtype and left.dtype.kind not in "OU":
        return f"type {left.dtype} instead of {right.dtype}"
    if left.shape != right.shape:
        return f"shape {left.shape} instead of {right.shape}"
    if right.dtype.kind in "biuOUS" or right.dtype.name in ("int4", "uint4", "int2", "uint2"):
        differs = np.asarray(left != right)
        if not exact and right.dtype.kind not in "OUS" and differs.any() and spread is not None:
            differs = differs & (np.asarray(spread) == 0)
    else:
        wide, other = left.astype(np.float64), right.astype(np.float64)
        with np.errstate(all="ignore"):
            differs = ~((wide == other) | (np.isnan(wide) & np.isnan(other)))
            if not exact:
                bound = max(BOUNDS.get(right.dtype.name, 0.25), least)
                finite = np.abs(other[np.isfinite(other)])
                scale = max(1.0, float(finite.max())) if finite.size else 1.0
                allowed = bound * (np.abs(other) + 0.1 * scale) + (0.0 if spread is None else 30.0 * np.asarray(spread))
                differs &= ~(np.abs(wide - other) <= np.nan_to_num(allowed, nan=np.inf))
    if not differs.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(differs)[0])
    return f"{int(differs.sum())} of {differs.size} elements, {list(place)}: {left[place]!r} instead of {right[place]!r}"


def sensitivity(
    model: onnx.ModelProto, feeds: Mapping[str, Any], expected: Mapping[str, Any], rounds: int
) -> dict[str, Any]:
    """How much each output moves when every float that goes in moves by about its rounding.

    Each round moves them another way. In a few rounds, elements that stand together may move together by chance, so that
    their distance seems to be certain.
    """
    found: dict[str, Any] = {}
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        moved = onnx.ModelProto()
        moved.CopyFrom(model)
        for graph in all_graphs(moved.graph):
            for tensor in [*graph.initializer, *_constants(graph)]:
                array = numpy_helper.to_array(tensor)
                tensor.CopyFrom(numpy_helper.from_array(_jittered(array, rng), tensor.name))
        try:
            outputs = run(moved, {name: _jittered(value, rng) for name, value in feeds.items()})
        except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
            continue
        for name, value in outputs.items():
            wanted = expected[name]
            if isinstance(value, np.ndarray) and isinstance(wanted, np.ndarray) and value.shape == wanted.shape:
                if value.dtype.kind in "OUS":
                    continue
                with np.errstate(all="ignore"):
                    gap = np.abs(value.astype(np.float64) - wanted.astype(np.float64))
                    gap = np.where(value.astype(np.float64) == wanted.astype(np.float64), 0.0, gap)
                found[name] = np.fmax(found.get(name, 0.0), np.nan_to_num(gap, nan=np.inf))
            elif isinstance(value, np.ndarray) and isinstance(wanted, np.ndarray):
                found[name] = np.full(wanted.shape, np.inf)
    return found


def _jittered(value: Any, rng: np.random.Generator) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.name not in BOUNDS:
        return value
    amount = {"float16": 1e-3, "bfloat16": 1e-2}.get(value.dtype.name, 1e-6)
    noise = rng.choice((-amount, amount), size=value.shape)
    with np.errstate(all="ignore"):
        return (value.astype(np.float64) * (1 + noise)).astype(value.dtype).reshape(value.shape)


def _constants(graph: onnx.GraphProto) -> list[onnx.TensorProto]:
    return [a.t for node in graph.node if node.op_type == "Constant" for a in node.attribute if a.name == "value"]


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
        ("again", lambda: assert_stable(case.model, simplified, simplify)),
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


def assert_stable(model: onnx.ModelProto, simplified: onnx.ModelProto, simplify: Simplify) -> None:
    """Simplifying again changes nothing.

    A run may add to a file as many bytes as its size allows, so that another one may store more. What differs then must
    not without that limit.
    """
    again = without_harm(simplify, simplified)
    if Counter(outline(again)) != Counter(outline(simplified)):
        whole = simplify(model, tensor_size_threshold=UNLIMITED)
        if any(tensor.ByteSize() > STORED_FREELY for tensor in whole.graph.initializer):
            simplified, again = whole, simplify(whole, tensor_size_threshold=UNLIMITED)
    assert_same_outline(simplified, again)


def assert_same_outline(expected: onnx.ModelProto, actual: onnx.ModelProto) -> None:
    """The same operators in the same graphs."""
    left, right = Counter(outline(expected)), Counter(outline(actual))
    if left != right:
        raise Mismatch(f"{dict(left - right)} became {dict(right - left)}")


def _assert_special(case: RandomModel, simplified: onnx.ModelProto, seed: int) -> None:
    kinds = {node.op_type for graph in all_graphs(case.model.graph) for node in graph.node}
    kinds |= {node.op_type for function in case.model.functions for node in function.node}
    special = with_special_numbers(case, seed) if case.exact and not kinds & ORDERED else None
    if special is not None:
        assert_equal(special, simplified)


def _assert_static(case: RandomModel, simplify: Simplify) -> None:
    tensors = [info.type.tensor_type for info in case.model.graph.input]
    if all(tensor.HasField("shape") for tensor in tensors):
        first = RandomModel(case.model, case.feeds[:1], case.exact, case.fixed)
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
        run(case.model, feeds)
    except Exception:  # noqa: BLE001  onnxruntime's errors have no common base
        return None
    return RandomModel(case.model, [feeds], case.exact, case.fixed)
