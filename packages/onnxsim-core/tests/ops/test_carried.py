"""Random Loop bodies: whatever is stated of a value inside must hold in every iteration that onnxruntime runs."""

from typing import Any

import numpy as np
import onnx
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from onnx import helper

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir import dims
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model, run

ops.load()

STEPS = (
    "Relu({0})", "Identity({0})", "Concat<axis = 0>({0}, {1})", "Concat<axis = 1>({0}, {1})", "Add({0}, {1})",
    "Transpose<perm = [1, 0]>({0})", "ReduceSum<keepdims = 1>({0}, one)", "Slice({0}, zero, one, zero)",
    "MatMul({0}, {1})", "Expand({0}, size)",
)  # fmt: skip
SIZES = {"n": 2, "m": 3}
TRIPS = 3


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Nodes t0, t1, ... over the carried v and u, the captured x and w, and each other."""
    names = ["v", "u", "x", "w"]
    lines = []
    for index in range(draw(st.integers(1, 5))):
        pick = st.sampled_from(names)
        lines.append(f"t{index} = {draw(st.sampled_from(STEPS)).format(draw(pick), draw(pick))}")
        names.append(f"t{index}")
    a, b = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    return f"{' '.join(lines)} a = Identity({a}) b = Identity({b})"


def looped(body: str) -> onnx.ModelProto:
    return model(
        "g (float[n,2] x, float[2,m] w) => () { M = Constant<value = int64 {3}>() "
        "zero = Constant<value = int64[1] {0}>() one = Constant<value = int64[1] {1}>() "
        "size = Constant<value = int64[2] {1, 1}>() "
        "y, z = Loop<body = l (int64 i, bool c, float[] v, float[] u) => (bool d, float[] a, float[] b) "
        f"{{ d = Identity(c) {body} }}>(M, , x, w) }}"
    )


def observed(proto: onnx.ModelProto, names: list[str]) -> dict[str, Any]:
    """Shape of each value inside in every iteration, by way of scan outputs."""
    watched = onnx.ModelProto()
    watched.CopyFrom(proto)
    node = watched.graph.node[-1]
    body = node.attribute[0].g
    for name in names:
        body.node.append(helper.make_node("Shape", [name], [f"shape_{name}"]))
        body.output.append(helper.make_tensor_value_info(f"shape_{name}", onnx.TensorProto.INT64, None))
        node.output.append(f"rows_{name}")
    watched.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output)
    feeds = {"x": np.zeros((SIZES["n"], 2), np.float32), "w": np.zeros((2, SIZES["m"]), np.float32)}
    return run(watched, feeds)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(bodies())
def test_what_is_stated_inside_a_loop_holds_in_every_iteration(body):
    proto = looped(body)
    ir = read_model(proto.SerializeToString())
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    node = ir.graph.last
    assert node is not None and node.bodies is not None
    inside = node.bodies["body"]
    values = [*inside.inputs[2:], *(value for inner in inside for value in inner.outputs if value.dtype == 1)]
    before = [(value.shape, value.dtype) for value in values]
    ctx.walk(ir.graph)
    assert [(value.shape, value.dtype) for value in values] == before, "inferring again changed something"
    known = [value for value in values if value.shape is not None]
    try:
        actual = observed(proto, [value.name for value in known])
    except Exception:  # noqa: BLE001  the drawn body does not run: operands do not broadcast, or the rank changes
        assume(False)
    for trip in range(TRIPS):
        sizes = dict(SIZES)
        for value in known:
            assert_shape(value.shape, tuple(actual[f"rows_{value.name}"][trip].tolist()), sizes, f"{value} in {body}")
    for value in node.outputs:
        if value.shape is not None:
            assert_shape(value.shape, actual[value.name].shape, dict(SIZES), f"{value} in {body}")


def assert_shape(stated: Any, actual: tuple[int, ...], sizes: dict[str, int], message: str) -> None:
    assert len(stated) == len(actual), f"{message}: {actual}"
    for size, number in zip(stated, actual, strict=True):
        if isinstance(size, dims.Dim):
            if size.is_symbol:
                sizes.setdefault(str(size), number)
            if all(symbol.name in sizes for symbol in dims.symbols(size)):
                assert dims.evaluate(size, sizes) == number, f"{message}: {actual}"
        else:
            assert size == number, f"{message}: {actual}"


def nested(depth: int) -> str:
    """A Loop in a Loop in a Loop ..., the innermost of which makes what it carries longer."""
    body = "o0 = Concat<axis = 0>(v0, v0)"
    for level in range(1, depth):
        inner = (
            f"l{level} (int64 i{level}, bool c{level}, float[] v{level - 1}) => (bool d{level}, float[] o{level - 1})"
        )
        body = (f"r{level} = Relu(v{level}) o{level} = Loop<body = {inner} {{ d{level} = Identity(c{level}) {body} }}>"
                f"(M, , r{level})")  # fmt: skip
    top = f"l (int64 i, bool c, float[] v{depth - 1}) => (bool d, float[] o{depth - 1})"
    return f"g (int64 M, float[n,4] x) => () {{ y = Loop<body = {top} {{ d = Identity(c) {body} }}>(M, , x) }}"


def test_loops_in_loops_do_not_multiply_without_end():
    """Each level may be tried a few times for each trial around it, but only down to a fixed depth."""
    calls = []
    for depth in (9, 12):
        ctx = Inference(read_model(model(nested(depth)).SerializeToString()))
        count = 0
        rule = ctx.table["Relu"]

        def counted(node: Any, where: Any, rule: Any = rule) -> None:
            nonlocal count
            count += 1
            rule(node, where)

        ctx.table = ctx.table.copy()
        ctx.table["Relu"] = counted
        ctx.walk(ctx.model.graph)
        calls.append(count)
    assert calls[1] <= 2 * calls[0]


def test_three_loops_deep_is_still_proven():
    ctx = Inference(read_model(model(nested(3)).SerializeToString()))
    ctx.walk(ctx.model.graph)
    (y,) = ctx.model.graph.last.outputs
    assert [str(size) if isinstance(size, int) else "_" for size in y.shape] == ["_", "4"]
