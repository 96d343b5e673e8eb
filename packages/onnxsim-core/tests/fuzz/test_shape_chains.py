"""Random chains of shape arithmetic: every size and element stated of a value holds when onnxruntime runs the model."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as refusals
from ops.judging import judge

from onnxsim_core import ops

ops.load()
FAR = 2**63 - 1
SIZES = [{"N": 2, "M": 4, "K": 3}, {"N": 1, "M": 1, "K": 1}, {"N": 3, "M": 2, "K": 5}]


class Chain:
    """A model that grows step by step. `vectors` are lists of sizes, `scalars` single ones, `tensors` the data."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.lines: list[str] = []
        self.constants: dict[str, np.ndarray] = {}
        self.tensors = [("x", 3), ("z", 2)]
        self.scalars: list[str] = []
        self.vectors = [(self.add("Shape(x)"), 3), (self.add("Shape(z)"), 2)]

    def add(self, call: str) -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {call}")
        return name

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def text(self) -> str:
        body = " ".join(self.lines)
        return f"g (float[N,3,M] x, float[N,K] z) => (float[] y) {{ {body} y = Identity({self.tensors[-1][0]}) }}"


def vector_call(chain: Chain, v: str, size: int) -> tuple[str, int] | None:
    """A call that makes a vector of sizes out of one, and how long it is."""
    rng = chain.rng
    start, end, step = rng.choice([(0, FAR, 1), (1, FAR, 1), (0, -1, 1), (-1, -FAR, -1), (0, 2, 1), (-2, FAR, 1)])
    left = len(range(size)[slice(start, None if end == -FAR else end, step)])
    picks = [rng.randrange(-size, size) for _ in range(rng.randrange(1, 4))]
    other, more = rng.choice(chain.vectors)
    number = chain.constant(rng.choice([1, 2, 3]))
    condition = chain.constant([rng.random() < 0.5 for _ in range(size)])
    flags = f"exclusive={rng.randrange(2)},reverse={rng.randrange(2)}"
    calls = [
        (f"Gather({v}, {chain.ints(*picks)})", len(picks)),
        (f"Slice({v}, {chain.ints(start)}, {chain.ints(end)}, {chain.ints(0)}, {chain.ints(step)})", left),
        (f"Concat<axis=0>({v}, {other})", size + more),
        (f"Where({condition}, {v}, {number})", size),
        (f"ScatterElements({v}, {chain.ints(picks[0])}, {chain.ints(rng.choice([1, 2, -1]))})", size),
        (f"{rng.choice(['Add', 'Sub', 'Mul', 'Div'])}({v}, {number})", size),
        (f"{rng.choice(['Max', 'Min', 'Add', 'Mul'])}({v}, {other})", max(size, more) if size == more else 0),
        (f"Tile({v}, {chain.ints(2)})", 2 * size),
        (f"Expand({v}, {chain.ints(2)})", 2 if size == 1 else 0),
        (f"Pad({v}, {chain.ints(1, 0)}, {number})", size + 1),
        (f"CumSum<{flags}>({v}, {chain.constant(0)})", size),
        (f"Reshape({v}, {chain.ints(-1)})", size),
    ]
    call, length = rng.choice(calls)
    return (call, length) if 0 < length < 7 else None


def tensor_call(chain: Chain, x: str, rank: int) -> tuple[str, int] | None:
    """A call that makes a tensor out of one, often by a vector of sizes, and its rank."""
    rng = chain.rng
    v, size = rng.choice(chain.vectors)
    axis = rng.randrange(rank)
    order = rng.sample(range(rank), rank)
    start, end = chain.ints(rng.choice([0, 1, -1, -2, 3])), chain.ints(rng.choice([FAR, -1, 2, -2]))
    bound = v if size == 1 else end
    back, front = chain.ints(rng.choice([-1, -2, FAR, 1])), chain.ints(rng.choice([-FAR, 0, -2]))
    target = [rng.choice([0, 1]) for _ in range(rank)]
    target[axis] = -1
    calls = [
        (f"Reshape({x}, {chain.ints(*target)})", rank),
        (f"Reshape({x}, {v})", size),
        (f"Expand({x}, {v})", max(rank, size)),
        (f"Tile({x}, {v})", rank if size == rank else 0),
        (f"Pad({x}, {v})", rank if size == 2 * rank else 0),
        (f"ConstantOfShape<value=float[1]{{2}}>({v})", size),
        (f"Transpose<perm={order}>({x})", rank),
        (f"Slice({x}, {start}, {bound}, {chain.ints(axis)}, {chain.ints(rng.choice([1, 1, 2]))})", rank),
        (f"Slice({x}, {back}, {front}, {chain.ints(axis)}, {chain.ints(rng.choice([-1, -2]))})", rank),
        (f"Flatten<axis={rng.randrange(-rank, rank + 1)}>({x})", 2),
        (f"Concat<axis={axis}>({x}, {x})", rank),
        (f"Gather<axis={axis}>({x}, {chain.constant(0)})", rank - 1),
    ]
    call, found = rng.choice(calls)
    return (call, found) if 0 < found < 7 else None


def grow(chain: Chain) -> None:
    rng = chain.rng
    v, size = rng.choice(chain.vectors)
    x, rank = rng.choice(chain.tensors)
    kind = rng.randrange(8)
    makers: list[tuple[Callable[..., tuple[str, int] | None], str, int, list[tuple[str, int]]]] = [
        (vector_call, v, size, chain.vectors),
        (tensor_call, x, rank, chain.tensors),
    ]
    if kind < 6:
        make, value, extent, found = makers[kind % 2]
        made = make(chain, value, extent)
        if made is not None:
            found.append((chain.add(made[0]), made[1]))
    elif kind == 6:
        chain.vectors.append((chain.add(f"Shape({x})"), rank))
        chain.scalars.append(chain.add(f"Gather({v}, {chain.constant(rng.randrange(-size, size))})"))
    elif chain.scalars:
        scalar = rng.choice(chain.scalars)
        chain.vectors.append((chain.add(f"Unsqueeze({scalar}, {chain.ints(0)})"), 1))
        chain.add(f"Range({chain.constant(rng.choice([0, 1]))}, {scalar}, {chain.constant(rng.choice([1, 2]))})")


@pytest.mark.parametrize("block", [0, *[pytest.param(block, marks=pytest.mark.fuzz) for block in range(1, 20)]])
def test_what_is_stated_holds(block: int) -> None:
    ran = 0
    for seed in range(40 * block, 40 * (block + 1)):
        chain = Chain(seed)
        for _ in range(chain.rng.randrange(4, 16)):
            grow(chain)
        for sizes in SIZES:
            n, m, k = sizes.values()
            feeds = {"x": np.ones((n, 3, m), np.float32), "z": np.ones((n, k), np.float32)}
            try:
                judge(chain.text(), feeds, **chain.constants)
            except (refusals.Fail, refusals.InvalidArgument, refusals.RuntimeException):
                continue  # the chain makes no sense at these sizes
            ran += 1
    assert ran > 40
