"""A graph under construction, of which every value's run-time shape is known."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


@dataclass(frozen=True, slots=True)
class Known:
    """A value of the graph under construction with what it holds at run time."""

    name: str
    dtype: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass
class Growth:
    """A graph under construction."""

    rng: Random
    opset: int
    values: list[Known] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)
    count: int = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, dtype: int = FLOAT, rank: int | None = None) -> Known | None:
        """A value of that type and rank, newer ones more often."""
        fitting = [v for v in self.values if v.dtype == dtype and rank in (None, len(v.shape))]
        return fitting[-1 - min(self.rng.randrange(6), len(fitting) - 1)] if fitting else None

    def constant(self, array: np.ndarray | np.generic) -> Known:
        """A constant, stored in one of the two ways a model can hold it."""
        name = self.fresh("c")
        tensor = numpy_helper.from_array(np.asarray(array), name)
        if self.rng.random() < 0.5:
            self.initializers.append(tensor)
        else:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        return Known(name, tensor.data_type, tuple(tensor.dims))

    def floats(self, *shape: int) -> Known:
        """A constant of small numbers, among them often 0, 1 and equal ones."""
        pool = (0.0, 1.0, -1.0, 0.5, 2.0)
        size = int(np.prod(shape, dtype=np.int64))
        plain = self.rng.random() < 0.3
        numbers = [pool[self.rng.randrange(len(pool))] if plain else self.rng.gauss(0, 1) for _ in range(size)]
        return self.constant(np.array(numbers, dtype=np.float32).reshape(shape))

    def add(self, op_type: str, inputs: list[str], dtype: int, shape: tuple[int, ...], **attributes: Any) -> Known:
        """Add a node with one output."""
        made = Known(self.fresh("v"), dtype, shape)
        self.nodes.append(helper.make_node(op_type, inputs, [made.name], name=self.fresh("n_"), **attributes))
        self.values.append(made)
        return made
