"""Operators of ai.onnx.ml: trees, linear models, encoders, scalers."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size
from ..ir.dtypes import FLOAT, INT64, STRING
from ..ir.graph import Node, Value
from ..ir.tensors import Tensor
from .attributes import entries, integer, integers, word
from .containers import Element, sequence_type, set_type, tensor_type
from .registry import SHAPES

ML = "ai.onnx.ml"
_CASTS = {b"TO_FLOAT": FLOAT, b"TO_INT64": INT64, b"TO_STRING": STRING}


# --- like the input --------------------------------------------------------------------------------------------------
@SHAPES.register("Binarizer", "Imputer", domain=ML)
def like_input_shape(node: Node, ctx: Any) -> None:
    """Type and shape of the input."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], x.dtype, x.shape)


@SHAPES.register("Normalizer", "Scaler", domain=ML)
def like_input_as_float_shape(node: Node, ctx: Any) -> None:
    """Floats of the shape of the input."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], FLOAT, x.shape)


@SHAPES.register("CategoryMapper", domain=ML)
def category_mapper_shape(node: Node, ctx: Any) -> None:
    """Strings become numbers, numbers strings."""
    _map(node, 0, ctx)


@SHAPES.register("LabelEncoder", domain=ML)
def label_encoder_shape(node: Node, ctx: Any) -> None:
    """The type is that of the values mapped to; LabelEncoder-1 maps strings to numbers and back.

    Source: ONNX ai.onnx.ml LabelEncoder-1, -2, -4.
    """
    dtype = 0
    for name, found in (("values_strings", STRING), ("values_int64s", INT64), ("values_floats", FLOAT)):
        if node.attribute(name):
            dtype = found
    tensor = node.attribute("values_tensor")
    _map(node, tensor.dtype if isinstance(tensor, Tensor) else dtype, ctx)


def _map(node: Node, dtype: int, ctx: Any) -> None:
    x = node.input(0)
    if x is None or not node.outputs:
        return
    if not dtype and node.attribute("classes_strings") is not None or node.op_type == "CategoryMapper":
        dtype = INT64 if x.dtype == STRING else STRING if x.dtype == INT64 else 0
    ctx.set(node.outputs[0], dtype, x.shape)


# --- columns ---------------------------------------------------------------------------------------------------------
@SHAPES.register("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor_shape(node: Node, ctx: Any) -> None:
    """[.., n] and k positions -> [.., k]; a vector counts as one row.  Source: onnxruntime ArrayFeatureExtractor."""
    x, places = node.input(0), node.input(1)
    if x is None or places is None or not node.outputs:
        return
    count: Size | None = None
    if places.shape is not None:
        sizes = [size for size in places.shape if size != 1]
        count = sizes[0] if len(sizes) == 1 else 1 if not sizes else None
    shape = None
    if x.shape:
        shape = [*(x.shape[:-1] or (1,)), ctx.fresh() if count is None else count]
    ctx.set(node.outputs[0], x.dtype, shape)


@SHAPES.register("OneHotEncoder", domain=ML)
def one_hot_encoder_shape(node: Node, ctx: Any) -> None:
    """A trailing axis with one float per category."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    categories = entries(node, "cats_int64s") or entries(node, "cats_strings")
    ctx.set(node.outputs[0], FLOAT, [*x.shape, len(categories)] if x.shape is not None and categories else None)


@SHAPES.register("FeatureVectorizer", domain=ML)
def feature_vectorizer_shape(node: Node, ctx: Any) -> None:
    """Columns side by side: [rows, sum of inputdimensions] floats."""
    if not node.inputs or not node.outputs:
        return
    widths = integers(node, "inputdimensions")
    rows = _rows(node.inputs[0])
    ctx.set(node.outputs[0], FLOAT, (rows, sum(widths)) if rows is not None and widths else None)


def _rows(x: Value | None) -> Size | None:
    """Samples in [rows, columns]; a vector is one."""
    shape = None if x is None else x.shape
    if shape is None or not 1 <= len(shape) <= 2:
        return None
    return shape[0] if len(shape) == 2 else 1


# --- predictors ------------------------------------------------------------------------------------------------------
@SHAPES.register("TreeEnsembleRegressor", "LinearRegressor", "SVMRegressor", "TreeEnsemble", domain=ML)
def regressor_shape(node: Node, ctx: Any) -> None:
    """[rows, columns] -> [rows, targets] floats; TreeEnsemble keeps the type of the input."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    name = "targets" if node.op_type == "LinearRegressor" else "n_targets"
    targets = 1 if node.op_type == "SVMRegressor" else integer(node, name, 1 if name == "targets" else -1)
    rows = _rows(x)
    dtype = x.dtype if node.op_type == "TreeEnsemble" else FLOAT
    ctx.set(node.outputs[0], dtype, None if rows is None or targets < 0 else (rows, targets))


@SHAPES.register("TreeEnsembleClassifier", "LinearClassifier", "SVMClassifier", domain=ML)
def classifier_shape(node: Node, ctx: Any) -> None:
    """[rows, columns] -> labels [rows] and scores [rows, classes].  Source: onnxruntime's classifiers."""
    if not node.outputs:
        return
    rows = _rows(node.input(0))
    names = entries(node, "classlabels_strings")
    numbers = entries(node, "classlabels_int64s") or entries(node, "classlabels_ints")
    dtype = STRING if names else INT64
    ctx.set(node.outputs[0], dtype, None if rows is None else (rows,))
    if len(node.outputs) > 1:
        classes = _classes(node, len(names) or len(numbers))
        ctx.set(node.outputs[1], FLOAT, None if rows is None else (rows, ctx.fresh() if classes is None else classes))


def _classes(node: Node, labels: int) -> int | None:
    """Columns of the scores: one per label, where the operator is sure to give so many."""
    if node.op_type == "LinearClassifier":
        scored = len(entries(node, "intercepts"))
        return scored if scored == labels or scored > 1 else 2 if (scored, labels) == (1, 2) else None
    return labels if node.op_type == "TreeEnsembleClassifier" and labels >= 2 else None


# --- maps ------------------------------------------------------------------------------------------------------------
@SHAPES.register("ZipMap", domain=ML)
def zip_map_shape(node: Node, ctx: Any) -> None:
    """A sequence of maps from labels to floats, one a row."""
    from onnx import TypeProto

    if not node.outputs:
        return
    proto = TypeProto()
    proto.map_type.key_type = STRING if entries(node, "classlabels_strings") else INT64
    proto.map_type.value_type.CopyFrom(tensor_type(*Element(FLOAT, None)))
    set_type(node.outputs[0], sequence_type(proto), ctx)


@SHAPES.register("CastMap", domain=ML)
def cast_map_shape(node: Node, ctx: Any) -> None:
    """The values of a map as one row."""
    if node.outputs:
        ctx.set(node.outputs[0], _CASTS.get(word(node, "cast_to", b"TO_FLOAT"), 0), (1, ctx.fresh()))


@SHAPES.register("DictVectorizer", domain=ML)
def dict_vectorizer_shape(node: Node, ctx: Any) -> None:
    """One row with a column per word of the vocabulary, of the type of the map's values."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    vocabulary = entries(node, "string_vocabulary") or entries(node, "int64_vocabulary")
    dtype = 0
    if x.type_proto is not None and x.type_proto.WhichOneof("value") == "map_type":
        dtype = x.type_proto.map_type.value_type.tensor_type.elem_type
    ctx.set(node.outputs[0], dtype, (1, len(vocabulary)) if vocabulary else None)
