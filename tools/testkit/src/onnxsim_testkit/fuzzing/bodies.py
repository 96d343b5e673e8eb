"""Steps that add nodes with bodies: If, Loop and Scan, which read values from around them, one in another."""

from collections.abc import Callable, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper

from ..growth import FLOAT, Known
from .growing import BOOL, DOUBLE, INT32, INT64, Grower, Reject, known

Choose = Callable[[Grower], Callable[[Grower], object]]
DEPTH = 3


class Bodies:
    """Steps with bodies, which are grown of the steps that `choose` picks."""

    def __init__(self, choose: Choose, depth: int = 0) -> None:
        self.choose = choose
        self.depth = depth

    def steps(self, g: Grower) -> list[Callable[[Grower], object]]:
        if g.reference:  # whose Loop takes a condition that is left out for False, and stacks numbers as vectors
            return [self.branch]
        return [self.branch, self.branch, self.loop, self.loop, self.scan]

    def _inner(self, g: Grower, made: Sequence[tuple[str, np.ndarray]] = ()) -> Grower:
        """A body in the making; it sees what is around it."""
        inner = Grower(g.rng, g.opset, exact=g.exact, count=g.count, domains=g.domains, functions=g.functions,
                       reference=g.reference)
        inner.arrays = dict(g.arrays)
        inner.values = [*g.values, *(known(name, array) for name, array in made)]
        inner.arrays.update(made)
        return inner

    def _grow(self, inner: Grower, outer: Grower, steps: int) -> None:
        for _ in range(steps):
            if self.depth < DEPTH and inner.chance(0.12):
                inner.attempt(inner.rng.choice(Bodies(self.choose, self.depth + 1).steps(inner)))
            else:
                inner.attempt(self.choose(inner))
        outer.count = inner.count

    def _result(self, inner: Grower, outer: Grower, dtype: int = 0, shape: tuple[int, ...] | None = None) -> Known:
        """A value made in the body, of that type and shape if they are given."""
        inner.count = max(inner.count, outer.count)
        outside = {v.name for v in outer.values}
        # What runs of a Loop stack of strings comes out empty.
        fitting = [v for v in inner.values if v.name not in outside and v.dtype != TensorProto.STRING
                   and dtype in (0, v.dtype) and shape in (None, v.shape)]  # fmt: skip
        made = {name for node in inner.nodes for name in node.output}
        fitting = [v for v in fitting if v.name in made]
        if fitting and not inner.chance(0.1):
            return inner.rng.choice(fitting)
        sources = [v for v in inner.values if dtype in (0, v.dtype) and shape in (None, v.shape)
                   and v.dtype != TensorProto.STRING]  # fmt: skip
        if not sources:
            raise Reject
        source = inner.rng.choice(sources)
        if not inner.attempt(lambda h: h.one("Identity", [source.name])):
            raise Reject
        outer.count = inner.count
        return inner.values[-1]

    def _graph(self, inner: Grower, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[Known]) -> onnx.GraphProto:
        loose = inner.chance(0.5)
        stated = [helper.make_tensor_value_info(v.name, v.dtype, None if loose else [None] * len(v.shape)) for v in outputs]
        return helper.make_graph(inner.nodes, inner.fresh("body"), list(inputs), stated, inner.initializers)

    # --- steps -----------------------------------------------------------------------------------------------------
    def branch(self, g: Grower) -> object:
        """If, whose condition is a constant, a comparison of sizes, or a value."""
        kind = g.rng.randrange(3)
        if kind == 0:
            condition = g.constant(np.array(g.chance(0.5))).name
        elif kind == 1:
            flags = [v for v in g.values if v.dtype == BOOL and not v.shape]
            if not flags:
                raise Reject
            condition = g.rng.choice(flags).name
        else:
            x = g.some(FLOAT, INT64)
            condition = g.one("Equal", [g.one("Size", [x.name]), g.scalar(g.rng.choice((0, 1, int(np.prod(x.shape)))))])
        inner = [self._inner(g) for _ in range(2)]
        for body in inner:
            body.count = g.count
            self._grow(body, g, g.rng.randrange(1, 5))
        count = g.rng.choice((1, 1, 2))
        outputs: list[list[Known]] = [[], []]
        for _ in range(count):
            first = self._result(inner[0], g)
            inner[1].count = g.count
            same = g.opset < 11 or g.chance(0.8)  # until then, branches had to agree
            second = self._result(inner[1], g, first.dtype, first.shape if same else None)
            outputs[0].append(first)
            outputs[1].append(second)
        if any(len({v.name for v in found}) < count for found in outputs):
            raise Reject
        graphs = []
        for body, found in zip(inner, outputs, strict=True):
            body.count = g.count
            graphs.append(self._graph(body, [], found))
            g.count = body.count
        return g.node("If", [condition], count, then_branch=graphs[0], else_branch=graphs[1])

    def loop(self, g: Grower) -> object:
        """Loop with a carried value or two, and often a value stacked per run."""
        trips, goes = g.rng.choice((0, 1, 1, 2, 3)), g.chance(0.8)
        trip = g.scalar(trips)
        if g.chance(0.2):
            x = g.some(FLOAT, INT64, rank=(1, 2, 3))
            if not x.shape[0]:
                raise Reject
            trip = g.one("Gather", [g.one("Shape", [x.name]), g.scalar(0)], axis=0)
        condition = g.rng.choice(("", g.constant(np.array(True)).name, g.constant(np.array(goes)).name))
        # Of what is stacked in no run at all, onnxruntime takes for 0 every size that it does not know beforehand.
        runs = trips > 0 and goes
        carried = [g.some(FLOAT, FLOAT, DOUBLE, INT64, INT32, BOOL) for _ in range(g.rng.choice((0, 1, 1, 2)))]
        if not runs and not carried:
            raise Reject
        names = [g.fresh("b") for _ in range(2 + len(carried))]
        made = [(names[0], np.array(0)), (names[1], np.array(True))]
        made += [(name, g.arrays[v.name]) for name, v in zip(names[2:], carried, strict=True)]
        inner = self._inner(g, made)
        inner.count = g.count
        self._grow(inner, g, g.rng.randrange(1, 5))
        results = [self._result(inner, g, v.dtype, v.shape) for v in carried]
        stacked = (g.rng.choice((0, 1, 1)) if carried else 1) if runs else 0
        scans = [self._result(inner, g) for _ in range(stacked)]
        inner.count = g.count
        if g.chance(0.8):
            going = inner.one("Identity", [names[1]])
        else:
            going = inner.one("Less", [names[0], inner.scalar(g.rng.choice((0, 1, 5)))])
        outputs = [Known(going, BOOL, ()), *results, *scans]
        if len({v.name for v in outputs}) < len(outputs):
            raise Reject
        inputs = [helper.make_tensor_value_info(names[0], INT64, []), helper.make_tensor_value_info(names[1], BOOL, [])]
        loose = g.chance(0.3)
        inputs += [
            helper.make_tensor_value_info(name, v.dtype, None if loose else [None if g.chance(0.3) else d for d in v.shape])
            for name, v in zip(names[2:], carried, strict=True)
        ]
        graph = self._graph(inner, inputs, outputs)
        g.count = inner.count
        given = [trip, condition, *(v.name for v in carried)]
        return g.node("Loop", given, len(results) + len(scans), body=graph)

    def scan(self, g: Grower) -> object:
        """Scan over the first axis of a value, with a state."""
        if g.opset < 9:
            raise Reject
        x, state = g.some(FLOAT, INT64, rank=(1, 2, 3)), g.some(FLOAT, DOUBLE, INT64)
        if not x.shape[0]:
            raise Reject
        names = [g.fresh("b"), g.fresh("b")]
        inner = self._inner(g, [(names[0], g.arrays[state.name]), (names[1], g.arrays[x.name][0])])
        inner.count = g.count
        self._grow(inner, g, g.rng.randrange(1, 4))
        after, each = self._result(inner, g, state.dtype, state.shape), self._result(inner, g)
        if after.name == each.name:
            raise Reject
        inner.count = g.count
        inputs = [helper.make_tensor_value_info(names[0], state.dtype, list(state.shape)),
                  helper.make_tensor_value_info(names[1], x.dtype, list(x.shape[1:]))]  # fmt: skip
        graph = self._graph(inner, inputs, [after, each])
        g.count = inner.count
        direction = g.rng.choice((None, [0], [1]))
        return g.node("Scan", [state.name, x.name], 2, body=graph, num_scan_inputs=1, scan_input_directions=direction)


