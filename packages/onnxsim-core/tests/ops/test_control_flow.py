"""If, Loop and Scan against onnxruntime: what is stated of outputs and inside bodies must hold for every run."""

from typing import Any

import numpy as np
import pytest
from ops.judging import Judged, facts, judge

from onnxsim_core import ops, simplify
from onnxsim_core.ir.graph import nested_graphs
from onnxsim_testkit import model, random_feeds, run

ops.load()
SIZES = {"n": 3, "m": 5, "k": 2}


def check(text: str, **feeds: Any) -> Judged:
    drawn = random_feeds(model(text), dims=SIZES, integers=(3, 4))
    return judge(text, {**drawn, **{name: np.array(value) for name, value in feeds.items()}}, kernels=False)


def inside(found: Judged) -> dict[str, str]:
    """Shapes stated of the values in bodies."""
    shapes = {}
    for graph in list(nested_graphs(found.model.graph))[1:]:
        values = [*graph.inputs, *(value for node in graph for value in node.outputs)]
        found.values.update((value.name, value) for value in values)
        shapes.update((value.name, found.shape(value.name)) for value in values)
    return shapes


# --- If --------------------------------------------------------------------------------------------------------------
def branches(then: str, other: str, condition: str = "c", **options: Any) -> str:
    bodies = f"then_branch = t () => (float[] a) {{ {then} }}, else_branch = e () => (float[] b) {{ {other} }}"
    return (
        f"g (bool c, float[n,4] x, float[m,4] w) => () {{ i = Constant<value = int64[1] {{0}}>() "
        f"y = If<{bodies}>({condition}) }}"
    )


@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize(
    ("then", "other", "shape"),
    [
        ("a = Relu(x)", "b = Neg(x)", "[n, 4]"),
        ("a = Relu(x)", "b = Neg(w)", "[_, 4]"),
        ("a = Relu(x)", "b = Concat<axis = 0>(x, x)", "[_, 4]"),
        ("a = Relu(x)", "b = Unsqueeze(x, i)", "?"),
        ("a = Concat<axis = 0>(x, w)", "b = Concat<axis = 0>(w, x)", "[n + m, 4]"),
    ],
)
def test_what_both_branches_give_is_stated(then, other, shape, condition):
    found = check(branches(then, other), c=condition)
    assert found.shape("y") == shape
    assert found.values["y"].dtype == 1


@pytest.mark.parametrize(("number", "shape"), [(1, "[n, 4]"), (0, "[m, 4]")])
def test_a_known_condition_takes_one_branch(number, shape):
    text = branches("a = Relu(x)", "b = Neg(w)", "k").replace(
        "{ i =", f"{{ k = Constant<value = bool {{{number}}}>() i =", 1
    )
    assert check(text).shape("y") == shape


def test_small_integers_that_both_branches_agree_on_are_known():
    bodies = "then_branch = t () => (int64[] a) { a = Shape(x) }, else_branch = e () => (int64[] b) { b = Shape(x) }"
    found = check(f"g (bool c, float[n,4] x) => () {{ y = If<{bodies}>(c) }}")
    assert (found.shape("y"), found.data("y")) == ("[2]", "[n, 4]")
    other = bodies.replace("b = Shape(x)", "b = Shape(w)")
    differing = check(f"g (bool c, float[n,4] x, float[4,n] w) => () {{ y = If<{other}>(c) }}")
    assert (differing.shape("y"), differing.data("y")) == ("[2]", "?")


def test_no_rank_the_file_declares_is_believed_of_branches_of_two_ranks():
    text = branches("a = Relu(x)", "b = Unsqueeze(x, i)").replace("=> ()", "=> (float[p] y)", 1)
    assert check(text).shape("y") == "?"


def test_an_if_without_a_branch_or_with_too_few_results_says_nothing():
    text = (
        "g (bool c, float[n] x) => () { y, z = If<then_branch = t () => (float[] a) { a = Relu(x) }, "
        "else_branch = e () => (float[] b) { b = Relu(x) }>(c) }"
    )
    assert facts(text).shape("y") == "?"
    half = "then_branch = t () => (float[2] a) { a = Constant<value = float[2] {1, 2}>() }"
    assert facts(f"g (bool c) => () {{ y = If<{half}>(c) }}").shape("y") == "?"


# --- Loop ------------------------------------------------------------------------------------------------------------
def loop(
    body: str,
    *,
    outputs: str = "y",
    results: str = "float[] b",
    limit: str = "M",
    condition: str = "",
    declared: str = "float[]",
    before: str = "",
) -> str:
    """A Loop that carries x [n, 4] as v."""
    return (
        f"g (int64 M, bool c, float[n,4] x, float[m,4] w) => () {{ {before} "
        f"{outputs} = Loop<body = l (int64 i, bool again, {declared} v) => (bool next, {results}) "
        f"{{ next = Identity(again) {body} }}>({limit}, {condition}, x) }}"
    )


@pytest.mark.parametrize(
    ("body", "entering", "result"),
    [
        ("b = Relu(v)", "[n, 4]", "[n, 4]"),
        ("b = Add(v, x)", "[n, 4]", "[n, 4]"),
        ("b = Concat<axis = 0>(v, v)", "[_, 4]", "[_, 4]"),
        ("b = Concat<axis = 0>(v, w)", "[_, 4]", "[_, 4]"),
        ("t = Concat<axis = 1>(v, v) b = Concat<axis = 0>(t, t)", "[_, _]", "[_, _]"),
        ("b = Transpose<perm = [1, 0]>(v)", "[_, _]", "[_, _]"),
        ("t = Identity(v) b = Identity(t)", "[n, 4]", "[n, 4]"),
    ],
)
@pytest.mark.parametrize("trips", [0, 1, 3])
def test_carried_values_keep_the_sizes_that_do_not_change(body, entering, result, trips):
    found = check(loop(body), M=trips)
    assert (inside(found)["v"], found.shape("y")) == (entering, result)


def test_a_declared_shape_of_a_carried_value_is_not_believed():
    growing = "b = Concat<axis = 0>(v, v)"
    found = check(loop(growing, declared="float[3,4]", results="float[3,4] b"), M=3)
    assert inside(found)["v"] == "[_, 4]"
    assert inside(found)["b"] != "[3, 4]"


def test_a_carried_value_whose_rank_changes_has_no_shape():
    text = loop("b = Unsqueeze(v, z)", before="z = Constant<value = int64[1] {0}>()", declared="float[]")
    found = check(text, M=2)
    assert (inside(found)["v"], found.shape("y")) == ("?", "?")
    assert found.values["y"].dtype == 1


def test_two_carried_values_that_swap_keep_what_they_share():
    text = (
        "g (int64 M, float[n,4] x, float[m,4] w) => () { y, z = Loop<body = l (int64 i, bool c, float[] v, float[] u) "
        "=> (bool d, float[] a, float[] b) { d = Identity(c) a = Identity(u) b = Identity(v) }>(M, , x, w) }"
    )
    found = check(text, M=3)
    assert (inside(found)["v"], inside(found)["u"], found.shape("y")) == ("[_, 4]", "[_, 4]", "[_, 4]")


def test_a_carried_value_that_grows_through_another_is_not_taken_for_constant():
    text = (
        "g (int64 M, float[n,4] x, float[n,4] w) => () { y, z = Loop<body = l (int64 i, bool c, float[] v, float[] u) "
        "=> (bool d, float[] a, float[] b) { d = Identity(c) a = Identity(u) b = Concat<axis = 0>(v, u) }>(M, , x, w) }"
    )
    found = check(text, M=4)
    assert (inside(found)["v"], inside(found)["u"]) == ("[_, 4]", "[_, 4]")


@pytest.mark.parametrize(("trips", "size"), [("int64 {5}", "5"), ("int64[1] {5}", "5"), ("int64 {-2}", "0")])
def test_a_constant_limit_is_the_number_of_scanned_rows(trips, size):
    text = loop(
        "b = Relu(v) s = ReduceSum<keepdims = 0>(v)",
        outputs="y, r",
        results="float[] b, float[] s",
        limit="l",
        before=f"l = Constant<value = {trips}>()",
    )
    assert check(text).shape("r") == f"[{size}]"


def test_a_limit_made_of_a_size_is_the_number_of_scanned_rows():
    before = "s0 = Shape(w) z = Constant<value = int64 {0}>() l = Gather(s0, z)"
    text = loop(
        "b = Relu(v) s = ReduceSum<keepdims = 0>(v)",
        outputs="y, r",
        results="float[] b, float[] s",
        limit="l",
        before=before,
    )
    assert check(text).shape("r") == "[m]"


def test_rows_of_a_loop_that_may_not_run_have_no_symbolic_size():
    """onnxruntime gives empty scan outputs the size 0 on every axis whose size is not a number in the file."""
    body = "b = Relu(v) s = Neg(v)"
    found = check(loop(body, outputs="y, r", results="float[] b, float[n,4] s"), M=0)
    assert found.shape("r") == "[_, _, 4]"
    sure = check(
        loop(
            body,
            outputs="y, r",
            results="float[] b, float[n,4] s",
            limit="l",
            before="l = Constant<value = int64 {2}>()",
        )
    )
    assert sure.shape("r") == "[2, n, 4]"


def test_sizes_that_only_an_iteration_knows_stay_inside():
    body = "b = Relu(v) q = NonZero(v) s = Cast<to = 1>(q)"
    text = loop(
        body, outputs="y, r", results="float[] b, float[] s", limit="l", before="l = Constant<value = int64 {2}>()"
    )
    ones = np.ones((3, 4), np.float32)
    found = check(text, x=ones)
    assert found.shape("r") == "[2, 2, _]"
    assert found.values["r"].shape[2] not in (found.values["q"].shape if "q" in found.values else ())


@pytest.mark.parametrize(
    ("condition", "body", "size"),
    [
        ("", "", "4"),
        ("yes", "", "4"),
        ("no", "", "0"),
        ("c", "", "_"),
        ("yes", "calculated", "_"),
    ],
)
def test_the_condition_decides_whether_the_limit_is_the_count(condition, body, size):
    before = "l = Constant<value = int64 {4}>() yes = Constant<value = bool {1}>() no = Constant<value = bool {0}>()"
    text = loop(
        "b = Relu(v) s = ReduceSum<keepdims = 0>(v)",
        outputs="y, r",
        results="float[] b, float[] s",
        limit="l",
        condition=condition,
        before=before,
    )
    if body:
        text = text.replace("next = Identity(again)", "e = ReduceMax<keepdims = 0>(v) next = Greater(e, e)")
    assert check(text).shape("r") == f"[{size}]"


@pytest.mark.parametrize(("declared", "shape"), [("int64", "[0]"), ("int64[1]", "[1]")])
def test_the_counter_has_the_rank_that_the_body_declares(declared, shape):
    text = loop(
        "b = Relu(v) s = Shape(i)",
        outputs="y, r",
        results="float[] b, int64[] s",
        limit="l",
        before="l = Constant<value = int64 {2}>()",
    ).replace("(int64 i,", f"({declared} i,")
    found = check(text)
    assert found.shape("r") == f"[2, {shape[1:-1]}]"


def test_small_integers_that_are_carried_unchanged_are_known_inside():
    nodes = "d = Identity(c) a = Reshape(v, u) b = Identity(u)"
    body = f"l (int64 i, bool c, float[] v, int64[2] u) => (bool d, float[] a, int64[2] b) {{ {nodes} }}"
    text = f"g (int64 M, float[n,4] x) => () {{ s = Shape(x) y, z = Loop<body = {body}>(M, , x, s) }}"
    found = check(text, M=2)
    assert (found.data("z"), inside(found)["a"]) == ("[n, 4]", "[n, 4]")


def test_simplifying_ends_where_a_body_puts_something_before_what_it_carries():
    body = "b (int64 i, bool c, int64[2] u) => (bool d, int64[2] v, int64[3] w) { d = Identity(c) v = Neg(u) w = Concat<axis=0>(k, u) }"
    text = f"g (int64 n, int64[2] s) => (int64[2] t, int64[m,3] y) <int64[1] k = {{1}}> {{ t, y = Loop<body = {body}>(n, , s) }}"
    before = model(text)
    after = simplify(before).model
    feeds = {"n": np.array(3), "s": np.array([1, 2])}
    assert run(after, feeds)["y"].tolist() == run(before, feeds)["y"].tolist() == [[1, 1, 2], [1, -1, -2], [1, 1, 2]]


def test_loops_in_loops():
    inner = (
        "Loop<body = k (int64 j, bool p, float[] u) => (bool q, float[] o) "
        "{ q = Identity(p) o = Concat<axis = 0>(u, w) }>(M, , v)"
    )
    found = check(loop(f"b = {inner}"), M=2)
    assert (inside(found)["v"], inside(found)["u"]) == ("[_, 4]", "[_, 4]")
    steady = check(loop(f"b = {inner.replace('Concat<axis = 0>(u, w)', 'Add(u, x)')}"), M=2)
    assert (inside(steady)["v"], inside(steady)["u"], steady.shape("y")) == ("[n, 4]", "[n, 4]", "[n, 4]")


def test_a_branch_inside_decides_about_the_loop():
    branch = (
        "If<then_branch = t () => (float[] p) { p = Relu(v) }, else_branch = e () => (float[] q) "
        "{ q = Concat<axis = 0>(v, x) }>(c)"
    )
    for condition in (True, False):
        found = check(loop(f"b = {branch}"), M=2, c=condition)
        assert inside(found)["v"] == "[_, 4]"


def test_a_loop_whose_body_takes_another_number_of_values_says_nothing():
    text = (
        "g (int64 M, float[n] x) => () { y = Loop<body = l (int64 i, bool c) => (bool d) { d = Identity(c) }>(M, , x) }"
    )
    assert facts(text).shape("y") == "?"


# --- Scan ------------------------------------------------------------------------------------------------------------
def scan(body: str, attributes: str = "", results: str = "float[] b, float[] t", inputs: str = "float[n,m] s") -> str:
    return (
        f"g (float[k,2] x, {inputs}) => () {{ i = Constant<value = int64[1] {{0}}>() y, z = Scan<num_scan_inputs = 1, "
        f"{attributes} body = l (float[9,9] v, float[9] r) => ({results}) {{ {body} }}>(x, s) }}"
    )


@pytest.mark.parametrize(
    ("attributes", "row", "stacked"),
    [
        ("", "[m]", "[n, 1, m]"),
        ("scan_input_axes = [1], ", "[n]", "[m, 1, n]"),
        ("scan_input_axes = [-2], scan_input_directions = [1], ", "[m]", "[n, 1, m]"),
        ("scan_output_axes = [1], ", "[m]", "[1, n, m]"),
        ("scan_output_axes = [-1], scan_output_directions = [1], ", "[m]", "[1, m, n]"),
    ],
)
def test_scan_takes_an_axis_away_and_adds_one(attributes, row, stacked):
    text = (
        scan("b = Relu(v) t = Unsqueeze(r, i)", attributes)
        .replace("float[9,9] v", "float[k,2] v")
        .replace("float[9] r", "float[] r")
    )
    found = check(text)
    assert (inside(found)["r"], inside(found)["v"], found.shape("y"), found.shape("z")) == (
        row,
        "[k, 2]",
        "[k, 2]",
        stacked,
    )


def test_declared_shapes_in_a_scan_are_replaced():
    found = facts(scan("b = Relu(v) t = Neg(r)"))
    assert (inside(found)["v"], inside(found)["r"]) == ("[k, 2]", "[m]")


def test_a_scan_over_an_axis_that_does_not_exist_says_only_the_type():
    found = facts(scan("b = Relu(v) t = Neg(r)", "scan_input_axes = [5], "))
    assert (inside(found)["r"], found.shape("z"), found.values["z"].dtype) == ("?", "?", 1)


def test_scan_of_opset_8_hides_the_batch():
    text = (
        '<ir_version: 3, opset_import: ["" : 8]> g (float[k,2] x, float[k,n,m] s) => (float[k,2] y, float[k,n,m] z) '
        "{ y, z = Scan<num_scan_inputs = 1, body = l (float[2] v, float[m] r) => (float[2] b, float[m] t) "
        "{ b = Identity(v) t = Neg(r) }>(, x, s) }"
    )
    feeds = {"x": np.ones((2, 2), np.float32), "s": np.ones((2, 3, 5), np.float32)}
    found = judge(text, feeds, opset=8, kernels=False)
    assert (inside(found)["v"], inside(found)["r"]) == ("[2]", "[m]")
    assert (found.shape("y"), found.shape("z")) == ("[k, 2]", "[k, n, m]")
