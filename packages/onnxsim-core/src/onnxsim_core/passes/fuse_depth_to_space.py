"""fuse_depth_to_space: channels dealt out into blocks, or gathered from them, by Reshape, Transpose, Reshape."""

from __future__ import annotations

from ..ir.dims import known_equal, mul
from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16
from ..ir.graph import Node, Shape, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import permutation, same_sizes
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_depth_to_space", "make Reshape, Transpose, Reshape one DepthToSpace or SpaceToDepth")

_DEALT: dict[tuple[int, ...], tuple[bytes, int]] = {(0, 3, 4, 1, 5, 2): (b"DCR", 1), (0, 1, 4, 2, 5, 3): (b"CRD", 2)}
"""Permutations that deal out: the mode, and where the first of the two block axes stands."""
_TYPES = (FLOAT, DOUBLE, FLOAT16)
_GATHERED = (0, 3, 5, 1, 2, 4)


@rewrites("fuse_depth_to_space", root="Reshape", after=("Transpose",))
def depth_or_space(node: Node, op: Builder) -> Value | Skip:
    """Reshape(Transpose(Reshape(x, [n, b, b, c, h, w]), [0,3,4,1,5,2]), [n, c, h*b, w*b]) -> DepthToSpace<DCR>(x).

    [n, c, b, b, h, w] and [0,1,4,2,5,3] give mode CRD (from opset 11 on); [n, c, h, b, w, b] and [0,3,5,1,2,4] give
    SpaceToDepth.

    Exact: elements move, none is computed.
    Source: ONNX DepthToSpace-1, -11, SpaceToDepth-1.
    """
    middle = node.inputs[0]
    transpose = None if middle is None else middle.producer("Transpose")
    first = None if transpose is None else transpose.inputs[0]
    reshape = None if first is None else first.producer("Reshape")
    if middle is None or transpose is None or first is None or reshape is None:
        return skip("it is not Reshape, Transpose, Reshape")
    if middle.dtype not in _TYPES:
        return skip("the runtime's DepthToSpace does not take this type")
    x = reshape.inputs[0]
    if x is None or x.shape is None or len(x.shape) != 4 or first.shape is None or len(first.shape) != 6:
        return skip("four axes do not become six")
    result = node.outputs[0].shape
    if result is None or len(result) != 4:
        return skip("six axes do not become four")
    if not is_step(middle) or not is_step(first):
        return skip("a step has other readers")
    perm = permutation(transpose)
    if perm == _GATHERED:
        return _gathered(op, x, x.shape, first.shape, result)
    mode, place = _DEALT.get(perm or (), (b"", 0))
    if not place or mode == b"CRD" and op.opset < 11:
        return skip("the Transpose deals channels out another way")
    return _dealt(op, x, first.shape, result, mode, place)


def _dealt(op: Builder, x: Value, parts: Shape, result: Shape, mode: bytes, place: int) -> Value | Skip:
    block = parts[place]
    channels = parts[3] if place == 1 else parts[1]
    n, c, h, w = x.shape or ()
    if type(block) is not int or parts[place + 1] != block or block < 2:
        return skip("the blocks are not square")
    wanted = (n, channels, mul(h, block), mul(w, block))
    if not same_sizes((parts[0], parts[4], parts[5]), (n, h, w)) or not known_equal(mul(channels, block * block), c) \
            or not same_sizes(result, wanted):
        return skip("the sizes are others")
    made: Value = op.DepthToSpace(x, blocksize=block, mode=None if mode == b"DCR" else mode)
    return made


def _gathered(op: Builder, x: Value, shape: Shape, parts: Shape, result: Shape) -> Value | Skip:
    block = parts[3]
    n, c, h, w = shape
    if type(block) is not int or parts[5] != block or block < 2:
        return skip("the blocks are not square")
    rows, columns = parts[2], parts[4]
    if not same_sizes((parts[0], parts[1], mul(rows, block), mul(columns, block)), (n, c, h, w)) \
            or not same_sizes(result, (n, mul(c, block * block), rows, columns)):
        return skip("the sizes are others")
    made: Value = op.SpaceToDepth(x, blocksize=block)
    return made
