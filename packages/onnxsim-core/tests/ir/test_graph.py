"""The graph in memory: users, the linked list of nodes, names, bodies."""

import numpy as np

from onnxsim_core.ir.graph import (
    Graph,
    Model,
    Node,
    Value,
    add_use,
    drop_use,
    mark_changed_owners,
    nested_graphs,
    rename,
    set_input,
)
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import ArrayTensor
from onnxsim_testkit import model

NESTED = """g (float[2] x, bool c) => (float[] y) {
    a = Neg(x)
    y = If(c) <then_branch = t () => (float[] p) { p = Mul(a, a) },
               else_branch = e () => (float[] q) {
                   q = If(c) <then_branch = u () => (float[] r) { r = Abs(a) },
                              else_branch = v () => (float[] s) { s = Identity(x) }> }>
}"""


def read(text: str) -> Model:
    return read_model(model(text, opset=17).SerializeToString())


def chain(count: int) -> tuple[Graph, list[Node]]:
    """A graph of that many Relus, n0 -> n1 -> ..."""
    steps = " ".join(f"v{i + 1} = Relu(v{i})" for i in range(count))
    graph = read(f"g (float[2] v0) => (float[2] v{count}) {{ {steps} }}").graph
    return graph, list(graph)


def names(graph: Graph) -> list[str]:
    return [node.outputs[0].name for node in graph]


def made(name: str, graph: Graph) -> Node:
    node = Node("Relu", [], [])
    value = Value(name, graph)
    value.node = node
    node.outputs.append(value)
    return node


# --- uses ------------------------------------------------------------------------------------------------------------
def test_a_value_read_twice_by_one_node_is_not_used_once():
    graph = read("g (float[2] x) => (float[2] y, float[2] z) { a = Neg(x) b = Abs(x) c = Mul(a, a) y = Add(c, b) "
                 "z = Relu(y) }").graph
    a, b, c, y, z = graph
    assert a.outputs[0].uses == {c: 2} and a.outputs[0].only_use() is None and not a.outputs[0].is_used_once
    assert b.outputs[0].only_use() is y and b.outputs[0].is_used_once
    assert y.outputs[0].uses == {z: 1} and y.outputs[0].only_use() is None  # it is a graph output as well
    assert z.outputs[0].outputs == 1 and not z.outputs[0].is_dead


def test_readers_in_bodies_count_like_any_other():
    main = read(NESTED).graph
    neg, outer = main
    then, other = outer.bodies.values()
    (inner,) = other
    (absolute,) = inner.bodies["then_branch"]
    assert neg.outputs[0].uses == {then.first: 2, absolute: 1}
    assert main.inputs[1].uses == {outer: 1, inner: 1}


def test_set_input_moves_one_use():
    graph = read("g (float[2] x, float[2] z) => (float[2] y) { y = Mul(x, x) }").graph
    (node,) = graph
    x, z = graph.inputs
    set_input(node, 0, x)
    assert not node.changed and x.uses == {node: 2}  # the same value is no change
    set_input(node, 1, z)
    assert node.changed and x.uses == {node: 1} and z.uses == {node: 1}
    set_input(node, 0, None)
    assert node.inputs == [None, z] and x.is_dead
    add_use(z, node)
    drop_use(z, node)
    assert z.uses == {node: 1}


def test_a_producer_is_of_the_default_domain():
    graph = read("g (float[2] x) => (float[2] y) { a = Relu(x) b = acme.Relu(a) y = Add(a, b) }").graph
    first, second, last = graph
    assert last.inputs[0].producer("Relu") is first and last.inputs[0].producer("Neg") is None
    assert last.inputs[1].producer("Relu") is None and last.inputs[1].node is second
    assert graph.inputs[0].producer("Relu") is None and last.input(2) is None


# --- the list --------------------------------------------------------------------------------------------------------
def test_insert_and_unlink_keep_the_list_whole():
    graph, nodes = chain(3)
    graph.insert_before(nodes[0], made("first", graph))
    graph.insert_before(nodes[2], made("middle", graph))
    graph.unlink(nodes[1])
    assert names(graph) == ["first", "v1", "middle", "v3"] and len(graph) == 4
    assert [node.outputs[0].name for node in graph.reversed()] == ["v3", "middle", "v1", "first"]
    graph.unlink(nodes[2])
    graph.append(made("last", graph))
    assert names(graph) == ["first", "v1", "middle", "last"]
    assert not nodes[2].alive and graph.last.outputs[0].name == "last"


def test_positions_stay_in_order_when_there_is_no_room_between_two():
    graph, nodes = chain(2)
    anchor = nodes[1]
    for i in range(200):  # halving the gap 200 times is beyond what a float holds
        graph.insert_before(anchor, made(f"w{i}", graph))
    positions = [node.position for node in graph]
    assert len(graph) == 202 and all(a < b for a, b in zip(positions, positions[1:]))
    assert names(graph) == ["v1", *(f"w{i}" for i in range(200)), "v2"]


def test_walking_goes_on_while_nodes_are_taken_out():
    graph, nodes = chain(5)
    seen = []
    for node in graph:
        seen.append(node)
        if node is nodes[1]:
            for gone in nodes[1:4]:  # the one walked on and the two after it
                graph.unlink(gone)
    assert seen == [nodes[0], nodes[1], nodes[4]]
    seen = []
    for node in graph.reversed():
        graph.unlink(node)
        seen.append(node)
    assert seen == [nodes[4], nodes[0]] and graph.first is graph.last is None and not len(graph)


# --- names and places ------------------------------------------------------------------------------------------------
def test_unique_names_avoid_all_that_are_taken_in_any_graph():
    ir = read(NESTED)
    assert {"x", "a", "p", "r"} <= ir.names
    assert [ir.unique("r"), ir.unique("r"), ir.unique("r_1")] == ["r_1", "r_2", "r_1_1"]
    assert ir.unique("free") == "free" and ir.unique("free") == "free_1"
    assert ir.unique("") == "v_1"


def test_a_new_constant_has_a_free_name_and_its_tensor_s_type():
    graph = read(NESTED).graph
    value = graph.constant(ArrayTensor(np.zeros((2, 3), np.int64)), "a")
    assert (value.name, value.dtype, value.shape, value.is_constant) == ("a_1", 7, (2, 3), True)
    value.is_input = True
    assert not value.is_constant and value in graph.constants


def test_rename_writes_producer_and_readers_anew():
    graph, nodes = chain(4)
    rename(nodes[1].outputs[0], "other")
    assert [node.changed for node in nodes] == [False, True, True, False]


def test_graphs_inside_know_what_is_around_them():
    ir = read(NESTED)
    _, outer = ir.graph
    inner_if = outer.bodies["else_branch"].first
    innermost = inner_if.bodies["then_branch"]
    assert list(innermost.ancestors()) == [innermost, outer.bodies["else_branch"], ir.graph]
    assert [g.name for g in nested_graphs(ir.graph)] == [g.name for g in ir.graphs()] == ["g", "t", "e", "u", "v"]
    assert innermost.first.where() == "main/If->y.else_branch/If->q.then_branch/Abs->r"
    mark_changed_owners(innermost)
    assert inner_if.changed and outer.changed and not ir.graph.first.changed
