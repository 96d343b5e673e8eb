"""ai.onnx.ml: what is stated against what onnxruntime gives."""

import numpy as np
import pytest
from ops.judging import Judged, facts, judge

from onnxsim_core import ops
from onnxsim_testkit import model, random_feeds

ops.load()

TREE = (
    "nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [1, 0, 0], "
    'nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values = [0.5, 0.0, 0.0], nodes_truenodeids = [1, 0, 0], '
    "nodes_falsenodeids = [2, 0, 0], nodes_missing_value_tracks_true = [0, 0, 0]"
)
LEAVES = "class_treeids = [0, 0], class_nodeids = [1, 2], class_weights = [1.0, 2.0]"
VECTORS = (
    "coefficients = [1.0, 2.0], support_vectors = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0], rho = [0.1], "
    'kernel_params = [0.1, 0.2, 3.0], kernel_type = "RBF"'
)
ROW = "1.0, 2.0, 3.0, 4.0"


def text(call: str, signature: str, version: int, outputs: str = "y") -> str:
    head = f'<ir_version: 10, opset_import: ["" : 21, "ai.onnx.ml" : {version}]>'
    return f"{head} g ({signature}) => () {{ {outputs} = ai.onnx.ml.{call} }}"


def judged(call: str, signature: str, version: int = 3, outputs: str = "y", **feeds: np.ndarray) -> Judged:
    source = text(call, signature, version, outputs)
    return judge(source, {**random_feeds(model(source), dims={"n": 3, "a": 2, "k": 2}), **feeds}, kernels=False)


@pytest.mark.parametrize("signature", ["float[n,4]", "float[4]"])
@pytest.mark.parametrize(
    "call",
    [
        "Binarizer<threshold = 0.5>(x)",
        'Normalizer<norm = "L2">(x)',
        "Scaler<offset = [0.5], scale = [2.0]>(x)",
        "Imputer<imputed_value_floats = [1.0], replaced_value_float = 0.0>(x)",
    ],
)
def test_scalers_keep_the_shape(call, signature):
    found = judged(call, f"{signature} x")
    assert found.shape("y") == found.shape("x")


def test_a_scaler_of_integers_gives_floats():
    assert judged("Scaler<offset = [0.5], scale = [2.0]>(x)", "int64[n,4] x").values["y"].dtype == 1


@pytest.mark.parametrize(
    ("signature", "places", "shape"),
    [
        ("float[n,4]", "int64[k]", "[n, k]"),
        ("float[a,n,4]", "int64[1,k]", "[a, n, k]"),
        ("float[4]", "int64[k]", "[1, k]"),
        ("float[n,4]", "int64", "[n, 1]"),
        ("float[n,4]", "int64[2,k]", "[n, _]"),
    ],
)
def test_columns_are_extracted(signature, places, shape):
    assert judged("ArrayFeatureExtractor(x, i)", f"{signature} x, {places} i").shape("y") == shape


@pytest.mark.parametrize(
    ("signature", "shape"), [("float[n,4]", "[n, 8]"), ("float[4]", "[1, 8]"), ("float[a,n,4]", "?")]
)
def test_columns_side_by_side(signature, shape):
    assert judged("FeatureVectorizer<inputdimensions = [4, 4]>(x, x)", f"{signature} x").shape("y") == shape


@pytest.mark.parametrize(("signature", "rows"), [("float[n,4]", "n"), ("float[4]", "1")])
@pytest.mark.parametrize(
    ("call", "columns"),
    [
        (f"LinearRegressor<coefficients = [{ROW}, {ROW}], intercepts = [0.5, 0.5], targets = 2>(x)", 2),
        (f"LinearRegressor<coefficients = [{ROW}]>(x)", 1),
        (f"SVMRegressor<{VECTORS}, n_supports = 2>(x)", 1),
    ],
)
def test_regressors(call, columns, signature, rows):
    assert judged(call, f"{signature} x").shape("y") == f"[{rows}, {columns}]"


def test_trees_regress():
    call = (
        f"TreeEnsembleRegressor<{TREE}, target_treeids = [0, 0], target_nodeids = [1, 2], target_ids = [0, 1], "
        "target_weights = [1.0, 2.0], n_targets = 2>(x)"
    )
    found = judged(call, "double[n,4] x")
    assert (found.shape("y"), found.values["y"].dtype) == ("[n, 2]", 1)


@pytest.mark.parametrize(
    ("call", "columns", "dtype"),
    [
        (f"LinearClassifier<coefficients = [{ROW}], intercepts = [0.5], classlabels_ints = [0, 1]>(x)", "2", 7),
        (
            f"LinearClassifier<coefficients = [{ROW}, {ROW}], intercepts = [0.5, 0.1], classlabels_ints = [0, 1]>(x)",
            "2",
            7,
        ),
        (
            f"LinearClassifier<coefficients = [{ROW}, {ROW}, {ROW}], intercepts = [0.5, 0.1, 0.2], "
            'classlabels_strings = ["a", "b", "c"]>(x)',
            "3",
            8,
        ),
        (f"SVMClassifier<{VECTORS}, vectors_per_class = [1, 1], classlabels_ints = [0, 1]>(x)", "_", 7),
        (f'TreeEnsembleClassifier<{TREE}, {LEAVES}, class_ids = [0, 1], classlabels_strings = ["a", "b"]>(x)', "2", 8),
        (f"TreeEnsembleClassifier<{TREE}, {LEAVES}, class_ids = [0, 0], classlabels_int64s = [3, 4]>(x)", "2", 7),
        (f"TreeEnsembleClassifier<{TREE}, {LEAVES}, class_ids = [0, 0], classlabels_int64s = [3]>(x)", "_", 7),
        (f"TreeEnsembleClassifier<{TREE}, {LEAVES}, class_ids = [0, 2], classlabels_int64s = [3, 4, 5]>(x)", "3", 7),
    ],
)
def test_classifiers(call, columns, dtype):
    found = judged(call, "float[n,4] x", outputs="y, z")
    assert (found.shape("y"), found.shape("z"), found.values["y"].dtype) == ("[n]", f"[n, {columns}]", dtype)


@pytest.mark.parametrize(
    ("call", "signature", "version", "dtype"),
    [
        ('LabelEncoder<keys_int64s = [0, 1, 2, 3], values_strings = ["a", "b", "c", "d"]>(x)', "int64[n,2]", 3, 8),
        ("LabelEncoder<keys_int64s = [0, 1, 2, 3], values_floats = [0.1, 0.2, 0.3, 0.4]>(x)", "int64[n,2]", 3, 1),
        ('LabelEncoder<classes_strings = ["a", "b", "c", "d"]>(x)', "int64[n,2]", 1, 8),
        ('LabelEncoder<classes_strings = ["a", "b"]>(x)', "string[n,2]", 1, 7),
        ('CategoryMapper<cats_int64s = [0, 1, 2, 3], cats_strings = ["a", "b", "c", "d"]>(x)', "int64[n,2]", 1, 8),
        ('CategoryMapper<cats_int64s = [0, 1], cats_strings = ["a", "b"]>(x)', "string[n,2]", 1, 7),
    ],
)
def test_labels_are_mapped(call, signature, version, dtype):
    found = judged(call, f"{signature} x", version)
    assert (found.shape("y"), found.values["y"].dtype) == ("[n, 2]", dtype)


def test_one_hot_adds_an_axis():
    assert judged("OneHotEncoder<cats_int64s = [0, 1, 2, 3], zeros = 1>(x)", "int64[n,2] x").shape("y") == "[n, 2, 4]"


def test_a_zip_map_is_a_sequence_of_maps():
    found = judged('ZipMap<classlabels_strings = ["a", "b"]>(x)', "float[n,2] x").values["y"]
    assert found.type_proto.sequence_type.elem_type.map_type.key_type == 8
    assert (found.dtype, found.shape) == (0, None)


def test_maps_become_rows():
    source = text('DictVectorizer<string_vocabulary = ["a", "b"]>(m)', "map(string, float) m", 3)
    found = facts(source)
    assert (found.shape("y"), found.values["y"].dtype) == ("[1, 2]", 1)
    assert facts(text('CastMap<cast_to = "TO_INT64">(m)', "map(int64, float) m", 3)).shape("y") == "[1, _]"


@pytest.mark.parametrize(
    "call", ["TreeEnsembleRegressor(x)", "LinearClassifier(x)", "OneHotEncoder(x)", "LabelEncoder(x)"]
)
def test_what_lacks_its_attributes_says_no_shape_that_could_be_wrong(call):
    assert facts(text(call, "float[] x", 3)).shape("y") == "?"
