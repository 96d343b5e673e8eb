"""A random model that is run while it grows: what onnxruntime refuses is taken back, so steps may be careless.

Every value is known as an array, not only by its shape. With `exact`, all floats are small multiples of powers of two
and only operators are used that do not round, so that a rewrite may not change a single bit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..growth import FLOAT, Growth, Known
from ..running import run, run_reference

INT64, INT32, BOOL, DOUBLE, FLOAT16 = (
    TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL, TensorProto.DOUBLE, TensorProto.FLOAT16,
)  # fmt: skip
REALS = (FLOAT, DOUBLE, FLOAT16)
LARGEST = 2048
# Sums and products of such numbers have no more than 24 bits, with a reserve for what rewrites sum in another order.
EXACT_BOUND = {FLOAT: 2.0**14, DOUBLE: 2.0**30, FLOAT16: 2.0**6}
EXACT_GRAIN = {FLOAT: 2.0**-8, DOUBLE: 2.0**-16, FLOAT16: 2.0**-4}


# A constant is read only where it is made for it, an optional comes out as what is in it, random numbers as others.
UNREAD = {"Constant", "Optional", "RandomNormalLike", "RandomUniformLike"}


class Reject(Exception):
    """This step does not fit here."""


@dataclass
class Grower(Growth):
    """A graph under construction, of which every value is known."""

    exact: bool = False
    arrays: dict[str, Any] = field(default_factory=dict)
    functions: list[onnx.FunctionProto] = field(default_factory=list)
    domains: dict[str, int] = field(default_factory=dict)
    definitions: list[onnx.FunctionProto] = field(default_factory=list)
    reference: bool = False
    refused: int = 0

    # --- what steps use --------------------------------------------------------------------------------------------
    def node(self, op_type: str, inputs: Sequence[str], outputs: int = 1, **attributes: Any) -> list[str]:
        """Append a node and give the names of its outputs; what they hold is found out by running."""
        names = [self.fresh("v") for _ in range(outputs)]
        name = self.fresh("n_") if self.rng.random() < 0.8 else ""
        present = {key: value for key, value in attributes.items() if value is not None}
        if any(value == [] for value in present.values() if isinstance(value, list)):
            raise Reject
        self.nodes.append(helper.make_node(op_type, list(inputs), names, name=name, **present))
        return names

    def one(self, op_type: str, inputs: Sequence[str], **attributes: Any) -> str:
        return self.node(op_type, inputs, **attributes)[0]

    def some(self, *dtypes: int, rank: int | Sequence[int] | None = None) -> Known:
        """A value of one of these types and ranks, newer ones more often."""
        ranks = None if rank is None else (rank,) if isinstance(rank, int) else tuple(rank)
        fitting = [v for v in self.values if v.dtype in dtypes and (ranks is None or len(v.shape) in ranks)]
        if not fitting:
            raise Reject
        return fitting[-1 - min(self.rng.randrange(8), len(fitting) - 1)]

    def real(self, rank: int | Sequence[int] | None = None) -> Known:
        """A value of floats, mostly float32."""
        if self.rng.random() < 0.25:
            return self.some(*REALS, rank=rank)
        return self.some(FLOAT, rank=rank)

    def ints(self, *numbers: int) -> str:
        """A 1-D constant of INT64."""
        return self.constant(np.array(numbers, dtype=np.int64)).name

    def scalar(self, number: float, dtype: int = INT64) -> str:
        return self.constant(np.array(number, helper.tensor_dtype_to_np_dtype(dtype))).name

    def like(self, x: Known, shape: Sequence[int], nonzero: bool = False) -> str:
        """A constant of numbers of the type of `x`."""
        return self.constant(self.numbers(x.dtype, tuple(shape), nonzero)).name

    def numbers(self, dtype: int, shape: tuple[int, ...], nonzero: bool = False) -> np.ndarray:
        """Small numbers, among them often 0, 1 and equal ones."""
        size = int(np.prod(shape, dtype=np.int64))
        rng = self.rng
        if dtype == TensorProto.STRING:
            return np.array([rng.choice(("", "a", "b", "Word")) for _ in range(size)], dtype=object).reshape(shape)
        kind = helper.tensor_dtype_to_np_dtype(dtype)
        if dtype == BOOL:
            return np.array([rng.random() < 0.5 for _ in range(size)], dtype=bool).reshape(shape)
        if dtype in REALS or dtype == TensorProto.BFLOAT16:
            pool: Sequence[float] = (0.0, 1.0, -1.0, 0.5, 2.0, 1.0, 0.25, -0.5, 4.0)
            if rng.random() < 0.15:
                found = [rng.choice(pool)] * size
            elif self.exact or rng.random() < 0.3:
                found = [rng.choice(pool) for _ in range(size)]
            else:
                found = [rng.gauss(0, 1) for _ in range(size)]
            if nonzero:
                found = [number or 1.0 for number in found]
        else:
            low = 0 if "uint" in kind.name else -3
            high = 2 if kind.name.endswith("int2") else 4
            found = [max(rng.randrange(low, high), -2 if high == 2 else low) for _ in range(size)]
            if rng.random() < 0.2:
                found = [rng.choice((0, 1))] * size
            if nonzero:
                found = [number or 1 for number in found]
        made = np.array(found, dtype=np.float64).reshape(shape)
        return (made * (1 + 2j)).astype(kind) if kind.kind == "c" else made.astype(kind)

    def axis(self, x: Known) -> int:
        """An axis of x, sometimes counted from the end."""
        if not x.shape:
            raise Reject
        axis = self.rng.randrange(len(x.shape))
        return axis - len(x.shape) if self.rng.random() < 0.3 else axis

    def axes(self, x: Known) -> list[int]:
        found = sorted(self.rng.sample(range(len(x.shape)), self.rng.randrange(len(x.shape) + 1)))
        return [axis - len(x.shape) if self.rng.random() < 0.25 else axis for axis in found]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # --- growing ---------------------------------------------------------------------------------------------------
    def attempt(self, step: Callable[["Grower"], object]) -> bool:
        """Run a step; what it added stays if onnxruntime runs it and its results are fit to go on with."""
        nodes, initializers, values = len(self.nodes), len(self.initializers), len(self.values)
        functions = len(self.functions)
        try:
            step(self)
            made = self._run(self.nodes[nodes:], self.initializers[initializers:])
        except Reject:
            made = None
        del self.values[values:]
        if not made:
            del self.nodes[nodes:], self.initializers[initializers:], self.functions[functions:]
            self.refused += 1
            return False
        self.arrays.update(made)
        left_out = {name for node in self.nodes[nodes:] if node.op_type in UNREAD for name in node.output}
        for name, array in made.items():
            if name not in left_out and isinstance(array, np.ndarray):
                self.values.append(known(name, array))
        return True

    def _run(self, nodes: Sequence[onnx.NodeProto], initializers: Sequence[onnx.TensorProto]) -> dict[str, Any] | None:
        """The values that new nodes and constants make, or None."""
        if not nodes:
            return None
        fixed = {tensor.name: numpy_helper.to_array(tensor) for tensor in initializers}
        reads, made = reads_and_makes(nodes)
        feeds = {name: self.arrays[name] for name in reads - made - set(fixed) if name in self.arrays}
        names = [name for node in nodes for name in node.output if name]
        graph = helper.make_graph(
            list(nodes),
            "step",
            [self.type_of(name, array) for name, array in feeds.items()],
            [onnx.ValueInfoProto(name=name) for name in names],
            list(initializers),
        )
        try:
            found = self._computed(self.model(graph), feeds)
        except Exception as error:
            raise Reject from error
        if any(goes_beyond(node, {**self.arrays, **fixed, **found}) for node in nodes):
            raise Reject
        for name, array in found.items():
            if isinstance(array, np.ndarray) and not self._fits(array):
                raise Reject(name)
        return {**fixed, **found}

    def _computed(self, model: onnx.ModelProto, feeds: Mapping[str, Any]) -> dict[str, Any]:
        if not self.reference:
            return run(model, feeds)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)  # of types, it takes any
        return run_reference(model, feeds)

    def _fits(self, array: np.ndarray) -> bool:
        if array.size > LARGEST or array.ndim > 6:
            return False
        if array.dtype.kind not in "fV" or array.size == 0 or array.dtype.name[:3] in ("int", "uin"):
            return True
        wide = array.astype(np.float64)
        dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
        if self.exact and dtype in EXACT_BOUND:
            bound, grain = EXACT_BOUND[dtype], EXACT_GRAIN[dtype]
            return bool(np.all(np.abs(wide) <= bound) and np.all(np.floor(wide / grain) * grain == wide))
        return bool(np.isfinite(wide).all() and np.abs(wide).max() < 1e4) or self.rng.random() < 0.02

    def model(self, graph: onnx.GraphProto) -> onnx.ModelProto:
        imports = [helper.make_opsetid("", self.opset)]
        imports += [helper.make_opsetid(domain, version) for domain, version in sorted(self.domains.items())]
        least = helper.find_min_ir_version_for(imports[:1])
        return helper.make_model(
            graph,
            opset_imports=imports,
            functions=self.functions,
            ir_version=max(least, 10 if self.functions else 4),
        )

    def type_of(self, name: str, array: Any) -> onnx.ValueInfoProto:
        """The declaration of a value with its sizes."""
        if isinstance(array, list):
            kind = helper.np_dtype_to_tensor_dtype(array[0].dtype) if array else FLOAT
            return helper.make_tensor_sequence_value_info(name, kind, None)
        return helper.make_tensor_value_info(name, dtype_of(array), array.shape)


def goes_beyond(node: onnx.NodeProto, values: Mapping[str, Any]) -> bool:
    """Does onnxruntime run what the standard has no meaning for? What is said of the sizes of its result differs then."""
    read = [values[name] for name in node.input if name in values]
    attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    if node.domain or len(read) != len(node.input):
        return False
    if node.op_type == "PRelu":  # it stretches what the slope is wider than
        return bool(values[node.output[0]].shape != read[0].shape)
    if node.op_type in ("BlackmanWindow", "HammingWindow", "HannWindow"):  # it takes a size that is not positive
        return bool(read[0].item() <= 0)
    if node.op_type == "Pow":  # it takes whole numbers through floats of 64 bits
        return read[0].dtype.kind in "iu" and any(abs(int(number)) > 2**53 for number in read[0].reshape(-1))
    if node.op_type.startswith("Reduce"):  # it takes any axis of a scalar
        axes = read[1].reshape(-1).tolist() if len(read) > 1 else attributes.get("axes", ())
        return any(not -read[0].ndim <= axis < read[0].ndim for axis in axes)
    if node.op_type == "Range":  # it takes vectors of one number
        return any(value.ndim for value in read)
    if node.op_type in ("AveragePool", "LpPool", "MaxPool"):  # it takes a window that is larger than all there is
        kernel = attributes["kernel_shape"]
        pads = attributes.get("pads", (0,) * 2 * len(kernel))
        spans = [step * (size - 1) + 1 for step, size in zip(attributes.get("dilations", (1,) * len(kernel)), kernel)]
        sizes = [sum(parts) for parts in zip(read[0].shape[2:], pads, pads[len(kernel) :])]
        return "SAME" not in str(attributes.get("auto_pad")) and any(a > b for a, b in zip(spans, sizes))
    if node.op_type == "CenterCropPad":  # it takes fewer sizes than there are axes
        return bool(read[1].size != len(attributes.get("axes", read[0].shape)))
    if node.op_type == "Concat":  # it passes over empty parts, whatever their other sizes are or become
        axis = attributes.get("axis", 1) % max(read[0].ndim, 1)
        others = {(*part.shape[:axis], *part.shape[axis + 1 :]) for part in read}
        return len(others) > 1 or len(read) > 1 and 0 in others.pop()
    return False


def dtype_of(array: np.ndarray) -> int:
    if array.dtype.kind in "OUS":
        return int(TensorProto.STRING)
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def known(name: str, array: np.ndarray) -> Known:
    return Known(name, dtype_of(array), tuple(array.shape))


def reads_and_makes(nodes: Sequence[onnx.NodeProto]) -> tuple[set[str], set[str]]:
    """Names that nodes read, and make; what their bodies read from around them is read, what stays inside is not."""
    reads: set[str] = set()
    made: set[str] = set()
    for node in nodes:
        reads.update(name for name in node.input if name)
        made.update(name for name in node.output if name)
        for body in bodies(node):
            inner_reads, inner_made = reads_and_makes(body.node)
            inner_reads |= {info.name for info in body.output}
            inner_made |= {info.name for info in body.input} | {tensor.name for tensor in body.initializer}
            reads |= inner_reads - inner_made
    return reads, made


def bodies(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
