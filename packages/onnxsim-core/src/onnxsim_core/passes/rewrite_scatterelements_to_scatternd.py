"""rewrite_scatterelements_to_scatternd: constant places of a ScatterElements become coordinates; on request."""

from __future__ import annotations

import numpy as np

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of, constant_array
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_scatterelements_to_scatternd", "make a ScatterElements with constant indices a ScatterND",
        default=False)


@rewrites("rewrite_scatterelements_to_scatternd", root=("ScatterElements", "Scatter"), since=11)
def scatter_by_coordinates(node: Node, op: Builder) -> Value | Skip:
    """ScatterElements(x, i, u) -> ScatterND(x, coordinates of i, u) for constant i.

    Exact where every place is written once; sums move by rounding where not.
    Source: ONNX ScatterElements-18, ScatterND-18 (reduction).
    """
    x, indices, updates = node.inputs[:3]
    if x is None or x.shape is None or updates is None:
        return skip("the rank is not known")
    rank = len(x.shape)
    axis = axis_of(node, rank, 0)
    array = constant_array(indices)
    if axis is None or array is None or array.ndim != rank or not array.size:
        return skip("the indices are not known")
    size = x.shape[axis]
    if array.min() < 0:
        if type(size) is not int:
            return skip("an index counts from the end of an unknown size")
        array = array + (array < 0) * size
    coordinates = np.moveaxis(np.indices(array.shape, dtype=np.int64), 0, -1).copy()
    coordinates[..., axis] = array
    reduction = node.attribute("reduction", b"none")
    if reduction == b"none" and len(np.unique(coordinates.reshape(-1, rank), axis=0)) != array.size:
        return skip("a place is written twice")
    if not op.affordable(coordinates.nbytes, indices):  # type: ignore[arg-type]
        return skip("the coordinates would make the model grow")
    return op.node("ScatterND", [x, op.constant(coordinates), updates], name=node.name,
                   reduction=None if reduction == b"none" else reduction)[0]
