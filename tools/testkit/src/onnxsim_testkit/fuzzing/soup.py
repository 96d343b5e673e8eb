"""A step that adds any operator ONNX has, with inputs of fitting types and attributes out of the blue."""

import functools
from typing import Any

import numpy as np
import onnx
from onnx import defs

from ..growth import FLOAT
from .elements import operand
from .growing import BOOL, INT64, Grower, Reject

# Random results, endless runs, files, and what divides integers by whatever is there, which ends the process.
LEFT_OUT = {
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Dropout", "If",
    "Loop", "Scan", "SequenceMap", "ImageDecoder", "Constant", "Div", "Mod", "BitShift",
}  # fmt: skip
WORDS = (
    "constant", "reflect", "edge", "wrap", "linear", "nearest", "cubic", "half_pixel", "asymmetric", "align_corners", "none",
    "mean", "sum", "add", "mul", "max", "min", "DCR", "CRD", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "LEFT", "RIGHT",
    "forward", "reverse", "tanh", "floor", "ceil", "round_prefer_floor",
)  # fmt: skip
# Another number than 0 and 1 makes onnxruntime read memory that nobody wrote, or end the process; it also ends at a
# Split that states another number of outputs than it has.
FLAGS = {
    "keepdims", "noop_with_empty_axes", "saturate", "select_last_index", "storage_order", "training_mode",
}  # fmt: skip
# onnxruntime takes a size that is no scalar, unless it is a constant.
WINDOWS = {"BlackmanWindow", "HammingWindow", "HannWindow"}


@functools.cache
def schemas(opset: int) -> list[Any]:
    """The operators of an opset by name, without those that are left out."""
    newest: dict[str, Any] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.since_version <= opset and not schema.deprecated:
            found = newest.get(schema.name)
            if found is None or found.since_version < schema.since_version:
                newest[schema.name] = schema
    return [newest[name] for name in sorted(newest) if name not in LEFT_OUT]


def any_operator(g: Grower) -> object:
    """A node of any operator; where a formal input takes a value of the graph it gets one, or a constant."""
    schema = g.rng.choice(schemas(g.opset))
    bound: dict[str, int] = {}
    inputs: list[str] = []
    formals = list(schema.inputs)
    for formal in formals:
        if formal.option == defs.OpSchema.FormalParameterOption.Optional and g.chance(0.5):
            inputs.append("")
            continue
        variadic = formal.option == defs.OpSchema.FormalParameterOption.Variadic
        for _ in range(g.rng.randrange(1, 3) if variadic else 1):
            inputs.append(_argument(g, schema, formal, bound))
    while inputs and not inputs[-1]:
        inputs.pop()
    attributes = {}
    for name, attribute in schema.attributes.items():
        if attribute.required or g.chance(0.4):
            attributes[name] = _attribute(g, attribute)
    least = max(schema.min_output, 1)
    count = g.rng.randrange(least, min(schema.max_output, least + 2) + 1)
    if schema.name == "SplitToSequence" and any(name in g.arrays and not g.arrays[name].size for name in inputs[1:]):
        raise Reject  # refused where it is seen to be empty
    if "num_outputs" in attributes:
        attributes["num_outputs"] = count
    return g.node(schema.name, inputs, count, **attributes)


def _argument(g: Grower, schema: Any, formal: Any, bound: dict[str, int]) -> str:
    allowed = _types(schema, formal)
    if formal.type_str in bound:
        allowed = {bound[formal.type_str]} & allowed if allowed else {bound[formal.type_str]}
    fitting = [v for v in g.values if v.dtype in allowed]
    if not fitting:
        if not allowed:
            raise Reject
        array = g.numbers(g.rng.choice(sorted(allowed)), g.rng.choice(((), (1,), (2,), (2, 3))))
        return g.constant(array).name
    if schema.name in WINDOWS:
        scalars = [v for v in fitting if not v.shape]
        return g.rng.choice(scalars).name if scalars else g.scalar(3)
    value = fitting[-1 - min(g.rng.randrange(8), len(fitting) - 1)]
    bound.setdefault(formal.type_str, value.dtype)
    if g.chance(0.3):
        return operand(g, value)
    if value.dtype == INT64 and g.chance(0.5):
        return g.ints(*(g.rng.randrange(-1, 4) for _ in range(g.rng.randrange(1, 4))))
    return value.name


@functools.cache
def _allowed(schema_key: tuple[str, int], text: str) -> frozenset[int]:
    kinds = {name.lower(): number for name, number in onnx.TensorProto.DataType.items()}
    schema = defs.get_schema(schema_key[0], schema_key[1], "")
    constraint = next((c for c in schema.type_constraints if c.type_param_str == text), None)
    texts = constraint.allowed_type_strs if constraint else [text]
    found = {kinds[t[7:-1]] for t in texts if t.startswith("tensor(") and t[7:-1] in kinds}
    return frozenset(found)


def _types(schema: Any, formal: Any) -> set[int]:
    common = {FLOAT, onnx.TensorProto.DOUBLE, INT64, onnx.TensorProto.INT32, BOOL, onnx.TensorProto.UINT8,
              onnx.TensorProto.INT8, onnx.TensorProto.STRING, onnx.TensorProto.FLOAT16}  # fmt: skip
    return set(_allowed((schema.name, schema.since_version), formal.type_str)) & common


def _attribute(g: Grower, attribute: Any) -> Any:
    kinds = defs.OpSchema.AttrType
    rng = g.rng
    if attribute.type == kinds.INT:
        if attribute.name in ("to", "dtype", "output_dtype", "stash_type"):
            return rng.choice((1, 1, 7, 6, 9, 10, 11))
        if attribute.name in FLAGS:
            return rng.choice((0, 1))
        return rng.choice((0, 0, 1, 1, -1, 2, 3))
    if attribute.type == kinds.INTS:
        return [rng.choice((0, 1, 1, 2, -1)) for _ in range(rng.randrange(1, 5))]
    if attribute.type == kinds.FLOAT:
        return rng.choice((0.0, 1.0, 0.5, 2.0, -1.0))
    if attribute.type == kinds.FLOATS:
        return [rng.choice((0.0, 1.0, 0.5)) for _ in range(rng.randrange(1, 4))]
    if attribute.type == kinds.STRING:
        if attribute.name == "equation":
            return rng.choice(("ij,jk->ik", "ij->ji", "ii", "i,i->", "...ij->...ji", "ij->i"))
        return rng.choice(WORDS)
    if attribute.type == kinds.STRINGS:
        return [rng.choice(WORDS)]
    if attribute.type == kinds.TENSOR:
        return onnx.numpy_helper.from_array(np.array([rng.choice((0, 1, 2))], rng.choice((np.float32, np.int64))))
    raise Reject


SOUP = (any_operator,)
