import ml_dtypes
import numpy as np
import onnx
import pytest
from installed import ADDED_TYPES, TYPES, WITH_WIDTH
from onnx import TensorProto, helper

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import dtypes


def test_numbers_and_names_are_those_of_onnx():
    known = {**ADDED_TYPES, **dict(TensorProto.DataType.items())}
    assert dtypes.NAMES == {value: name for name, value in known.items()}
    assert all(getattr(dtypes, name) == value for name, value in known.items())


def test_every_type_but_strings_has_a_width():
    assert set(dtypes.BITS) == TYPES.union(ADDED_TYPES.values()) - {TensorProto.UNDEFINED, TensorProto.STRING}


@pytest.mark.parametrize("dtype", [*WITH_WIDTH, dtypes.STRING])
def test_numpy_dtypes_are_those_of_onnx_and_lead_back(dtype):
    found = dtypes.numpy_dtype(dtype)
    assert found == helper.tensor_dtype_to_np_dtype(dtype)
    assert dtypes.from_numpy(found) == dtype


@pytest.mark.parametrize("dtype", WITH_WIDTH)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 9, 1000])
def test_nbytes_is_the_length_of_raw_data(dtype, count):
    array = np.zeros(count, helper.tensor_dtype_to_np_dtype(dtype))
    assert dtypes.nbytes(dtype, count) == len(onnx.numpy_helper.from_array(array).raw_data)


def test_nbytes_of_a_tensor_larger_than_memory():
    assert dtypes.nbytes(dtypes.INT4, (1 << 70) + 1) == (1 << 69) + 1


@pytest.mark.parametrize("dtype", [dtypes.STRING, dtypes.UNDEFINED, 99, -1])
def test_nbytes_declines_types_without_a_width(dtype):
    with pytest.raises(ModelError, match="has no fixed width") as caught:
        dtypes.nbytes(dtype, 3)
    assert caught.value.code == "dtype"


@pytest.mark.parametrize("dtype", [dtypes.UNDEFINED, 99])
def test_numpy_dtype_declines_unknown_types(dtype):
    with pytest.raises(ModelError, match="no numpy counterpart"):
        dtypes.numpy_dtype(dtype)


def test_an_old_ml_dtypes_gives_a_hint(monkeypatch):
    monkeypatch.delattr(ml_dtypes, "int2")
    monkeypatch.delitem(dtypes._NUMPY, dtypes.INT2, raising=False)
    with pytest.raises(ModelError, match="needs ml_dtypes.int2 .upgrade"):
        dtypes.numpy_dtype(dtypes.INT2)


@pytest.mark.parametrize(
    ("spelling", "dtype"),
    [(">f4", dtypes.FLOAT), (">i8", dtypes.INT64), ("U3", dtypes.STRING), ("S3", dtypes.STRING), ("O", dtypes.STRING)],
)
def test_from_numpy_ignores_byte_order_and_takes_text(spelling, dtype):
    assert dtypes.from_numpy(np.dtype(spelling)) == dtype


@pytest.mark.parametrize("spelling", ["M8[s]", "m8[s]", "f4,i4", "longdouble", "clongdouble", "V4"])
def test_from_numpy_declines_what_onnx_lacks(spelling):
    with pytest.raises(ModelError, match="has no ONNX data type"):
        dtypes.from_numpy(np.dtype(spelling))


def test_kinds_agree_with_the_numeric_types_themselves():
    for dtype in dtypes.BITS:
        kind = dtypes.numpy_dtype(dtype)
        name = dtypes.name(dtype)
        assert dtypes.is_float(dtype) == ("FLOAT" in name or name == "DOUBLE")
        assert dtypes.is_int(dtype) == name.lstrip("U").startswith("INT")
        assert dtypes.is_complex(dtype) == (kind.kind == "c")
        assert dtypes.is_packed(dtype) == (dtypes.BITS[dtype] % 8 != 0)
    signed = {n for n in map(dtypes.name, dtypes.BITS) if dtypes.is_signed(getattr(dtypes, n))}
    assert {dtypes.name(d) for d in dtypes.BITS} - signed == {
        *("BOOL", "UINT2", "UINT4", "UINT8", "UINT16", "UINT32", "UINT64", "FLOAT8E8M0")
    }
    assert not any(kind(dtypes.STRING) for kind in (dtypes.is_float, dtypes.is_int, dtypes.is_signed, dtypes.is_packed))


def test_names_of_unknown_numbers_show_the_number():
    assert dtypes.name(dtypes.INT64) == "INT64"
    assert dtypes.name(77) == "DataType(77)"
