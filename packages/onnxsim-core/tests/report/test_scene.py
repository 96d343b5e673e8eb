from onnxsim_core.report.diff import diff
from onnxsim_core.report.layout import layers
from onnxsim_core.report.scene import ADDED, CHANGED, GROUP, INTERFACE, REMOVED, SAME, scene, scenes
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model


def outline(text, **options):
    return take(model(text, **options), with_outline=True).outline


BEFORE = outline("g (float[2] x) => (float[2] y) { a = Relu(x) b = Exp(a) c = Neg(b) y = Identity(c) }")
AFTER = outline("g (float[2] x) => (float[2] y) { b = Exp(x) c = Neg(b) d = Abs(c) y = Neg(d) }")


def kinds(made):
    return [(box.title, box.kind) for box in made.boxes]


def test_what_became_of_each_node():
    before, after = scenes(BEFORE, AFTER, diff(BEFORE, AFTER))

    assert kinds(before) == [("x", INTERFACE), ("Relu", REMOVED), ("Exp", CHANGED), ("Neg", SAME),
                             ("Identity", CHANGED), ("y", INTERFACE)]
    assert kinds(after) == [("x", INTERFACE), ("Exp", CHANGED), ("Neg", SAME), ("Abs", ADDED), ("Neg", CHANGED),
                            ("y", INTERFACE)]
    assert before.edges == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert before.texts[0] == "x: float32[2]"


def test_the_same_node_has_the_same_key():
    before, after = scenes(BEFORE, AFTER, diff(BEFORE, AFTER))

    assert before.boxes[3].key == after.boxes[2].key != before.boxes[1].key


def test_bodies_stand_before_their_node_and_find_names_around_them():
    made = scene(outline("""g (bool c, float[2] x) => (float[2] y) { t = Relu(x)
        y = If (c) <then_branch = th () => (float[2] a) { k = Exp(t) a = Neg(k) },
                    else_branch = el () => (float[2] b) { k = Abs(t) b = Neg(k) }> }"""), {})
    place = {(box.title, box.lines[-1] if box.lines else ""): index for index, box in enumerate(made.boxes)}
    titles = [(made.boxes[start].title, made.boxes[to].title) for start, to in made.edges]

    assert titles.count(("Relu", "Exp")) == titles.count(("Relu", "Abs")) == titles.count(("Exp", "Neg")) == 1
    assert titles.count(("Neg", "If")) == 2 and ("Exp", "Abs") not in titles
    assert len(place) >= 6


def long_model(count):
    nodes = " ".join(f"v{i} = Relu(v{i - 1})" if i else "v0 = Relu(x)" for i in range(count))
    return outline(f"g (float[2] x) => (float[2] y) {{ {nodes} y = Relu(v{count - 1}) }}")


def test_runs_of_unchanged_nodes_become_one_box():
    full = long_model(100)
    marked = {id(full.nodes[50]): REMOVED}
    made = scene(full, marked, limit=20)

    assert [(box.title, box.kind) for box in made.boxes] == [
        ("x", INTERFACE), ("50 nodes", GROUP), ("Relu", REMOVED), ("50 nodes", GROUP), ("y", INTERFACE)]
    assert made.edges == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert made.boxes[1].lines == ["50 Relu"] and "... and 10 more" in made.boxes[1].details
    assert made.nodes == 101


def test_when_everything_changed_neighbours_are_joined():
    full = long_model(100)
    made = scene(full, {id(node): REMOVED for node in full.nodes}, limit=20)

    assert 10 < len(made.boxes) <= 20
    assert all(box.kind == REMOVED for box in made.boxes[1:-1])


def test_joining_makes_no_cycle():
    full = outline("g (float[2] x) => (float[2] y) { " + " ".join(
        f"a{i} = Relu({'x' if not i else f'b{i - 1}'}) c{i} = Exp(a{i}) b{i} = Add(a{i}, c{i})" for i in range(40))
        + " y = Relu(b39) }")
    made = scene(full, {id(node): CHANGED for node in full.nodes[::7]}, limit=30)
    depth = layers(len(made.boxes), made.edges)

    assert len(made.boxes) <= 30
    assert all(depth[start] < depth[to] for start, to in made.edges)
