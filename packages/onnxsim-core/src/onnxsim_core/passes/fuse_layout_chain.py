"""fuse_layout_chain: a chain of Reshape and Transpose becomes the shortest one that lays elements out the same."""

from __future__ import annotations

from ..ir.dims import is_positive
from ..ir.graph import Graph, Node, Shape, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import permutation
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import constant_target
from ..rewrite.views import Plan, View, plans
from .catalog import declare
from .eliminate_nop_transpose import keeps_order

declare("fuse_layout_chain", "shorten chains of Reshape and Transpose: split, swap and join of axes in one Transpose")

VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"})
LONGEST = 16


@rewrites("fuse_layout_chain", root=("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"), after=VIEWS)
def shorten_chain(node: Node, op: Builder) -> Value | Skip:
    """Reshape(Transpose(Reshape(x, [6n, s, 64]), [0, 2, 1]), [n, 6, 64, s]) -> Transpose(x, [0, 1, 3, 2]).

    Exact: elements move, none is computed; the order is followed piece by piece. Source: ONNX Reshape-14, Transpose-13.
    """
    value = node.input(0)
    inner = None if value is None else value.node
    if value is None or inner is None or inner.domain or inner.op_type not in VIEWS or not is_step(value):
        return skip("it is no chain")
    reader = node.outputs[0].only_use()
    if reader is not None and not reader.domain and reader.op_type in VIEWS and reader.input(0) is node.outputs[0]:
        op.revisit(reader)
        return skip("the chain goes on")
    chain = [node, *_before(value, node.graph)]
    reason = None
    # Where all of it is as short as it can be, its end alone may be the longer way.
    while len(chain) > 1 and any(one.op_type == "Transpose" for one in chain):
        found = _shortened(chain, op)
        if type(found) is not Skip:
            return found
        reason = reason or found
        chain.pop()
    return reason or skip("nothing is transposed")


def _shortened(chain: list[Node], op: Builder) -> Value | Skip:
    """What does the same as these operators, of which the last comes first, in fewer."""
    node, x = chain[0], chain[-1].input(0)
    if x is None or x.shape is None or not _is_followed(x.shape) or op.opset < 5:
        return skip("a shape is unknown or may be empty by itself")
    result = node.outputs[0].shape
    if result is not None and len(chain) == 2 and _takes_both(chain, x.shape, result):
        return skip("the chain is as short as it can be")
    view = View(x.shape)
    for one in reversed(chain):
        if not _follow(view, one):
            return skip("the sizes do not tell how elements move")
    assert result is not None
    shorter = [found for found in plans(view, x.shape, result) if found.length < len(chain)]
    if not shorter:
        return skip("the chain is as short as it can be")
    for plan in shorter:
        value = _build(op, node, x, plan, result)
        if value is not None:
            return value
    return skip("a target cannot be written as a constant")


def _takes_both(chain: list[Node], source: Shape, result: Shape) -> bool:
    """Is it plain that a Transpose and another operator do what neither can do alone?

    A Transpose alone does not change the sizes, and the other one alone moves nothing.
    """
    transpose = next(one for one in chain if one.op_type == "Transpose")
    perm, x = permutation(transpose), transpose.input(0)
    if perm is None or x is None or x.shape is None or keeps_order(perm, x):
        return False
    left = [size for size in source if type(size) is not int or size != 1]
    for size in result:
        if type(size) is not int or size != 1:
            if size not in left:
                return True
            left.remove(size)
    return bool(left)


def _before(value: Value, graph: Graph | None) -> list[Node]:
    """The operators of the chain before the value, in that graph: what stands around a body is computed once."""
    chain: list[Node] = []
    while value.is_used_once and len(chain) < LONGEST:
        node = value.node
        if node is None or node.domain or node.op_type not in VIEWS or node.graph is not graph:
            break
        first = node.input(0)
        if first is None:
            break
        chain.append(node)
        value = first
    return chain


def _is_followed(shape: Shape) -> bool:
    return all(type(size) is not int or size > 0 for size in shape)


def _follow(view: View, node: Node) -> bool:
    """Let the view take one step; False when that is not possible."""
    shape = node.outputs[0].shape
    if shape is None or not _is_followed(shape):
        return False
    if node.op_type != "Transpose":
        return view.reshape(shape)
    perm = permutation(node)
    if perm is None or len(perm) != len(view.axes):
        return False
    view.transpose(perm)
    return True


def _build(op: Builder, node: Node, x: Value, found: Plan, result: Shape) -> Value | None:
    """The planned chain with constant targets, or None when one cannot be written so."""
    before: list[int] | None = []
    if found.before is not None:
        before = constant_target(x.shape, found.before)
    if before is None:
        return None
    shape = x.shape if found.before is None else found.before
    assert shape is not None
    if found.perm is not None:
        shape = tuple(shape[axis] for axis in found.perm)
    after = constant_target(shape, result) if found.after else []
    if after is None and not _keeps_target(node, op):
        return None
    value = x if found.before is None else forms.reshape(op, x, before)
    if found.perm is not None:
        value = op.Transpose(value, perm=found.perm)
    if not found.after:
        return value
    return op.like(node, [value, node.inputs[1]]) if after is None else forms.reshape(op, value, after)


def _keeps_target(node: Node, op: Builder) -> bool:
    """Does the last Reshape's target mean the same after any value with these elements: no 0 to copy, now or then?"""
    sizes = op.ctx.data(node.input(1)) if node.op_type == "Reshape" else None
    return sizes is not None and all(is_positive(size) or size == -1 for size in sizes)
