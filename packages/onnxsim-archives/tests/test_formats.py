import numpy as np
import pytest
from archiving import TYPES

from onnxsim_archives.formats import GGUF, SAFETENSORS, format_of

RAW_IN_SAFETENSORS = {"COMPLEX64", "COMPLEX128", "FLOAT8E4M3FNUZ", "FLOAT8E5M2FNUZ", "FLOAT8E8M0"}
RAW_IN_SAFETENSORS |= {"UINT4", "INT4", "FLOAT4E2M1", "UINT2", "INT2"}
OWN_IN_GGUF = {"FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE", "INT8", "INT16", "INT32", "INT64"}


@pytest.mark.parametrize("name", TYPES)
def test_a_type_is_the_containers_own_or_raw_bytes_of_the_same_length(name):
    dtype, bits = TYPES[name]
    kind, shape = SAFETENSORS.stored(dtype, (3, 5))
    if name in RAW_IN_SAFETENSORS:
        assert kind == "U8"
        assert int(np.prod(shape)) == (15 * bits + 7) // 8
    else:
        assert shape == (3, 5)
        assert kind != "U8" or name == "UINT8"

    kind, shape = GGUF.stored(dtype, (3, 5))
    if name in OWN_IN_GGUF:
        assert shape == (3, 5)
    else:
        assert kind == "I8"
        assert int(np.prod(shape)) == (15 * bits + 7) // 8


def test_raw_bytes_of_wider_elements_get_an_axis_and_packed_ones_lose_theirs():
    assert SAFETENSORS.stored(TYPES["COMPLEX64"][0], (3, 5)) == ("U8", (3, 5, 8))
    assert SAFETENSORS.stored(TYPES["FLOAT8E8M0"][0], (3, 5)) == ("U8", (3, 5))
    assert SAFETENSORS.stored(TYPES["INT4"][0], (3, 5)) == ("U8", (8,))
    assert GGUF.stored(TYPES["UINT16"][0], (3, 5)) == ("I8", (3, 5, 2))


@pytest.mark.parametrize(
    ("dims", "shape"),
    [
        ((), ()),
        ((2,), (2,)),
        ((2, 3, 4, 5), (2, 3, 4, 5)),
        ((2, 3, 4, 5, 6), (6, 4, 5, 6)),
        ((0, 4), (0,)),
        ((5, 0), (0,)),
    ],
)
def test_gguf_has_four_axes_and_one_for_nothing(dims, shape):
    assert GGUF.stored(1, dims) == ("F32", shape)


def test_safetensors_keeps_every_shape_but_one_that_readers_overflow_on():
    assert SAFETENSORS.stored(1, (2, 3, 4, 5, 6)) == ("F32", (2, 3, 4, 5, 6))
    assert SAFETENSORS.stored(1, (0, 4)) == ("F32", (0, 4))
    assert SAFETENSORS.stored(1, (1 << 40, 1 << 40, 0)) == ("F32", (0,))


def test_names():
    for format in (SAFETENSORS, GGUF):
        assert format.accepts("encoder.layer.0/Wörter")
        assert not any(format.accepts(name) for name in ("", "model.onnx", "a\0b", "\udcff"))
    assert not SAFETENSORS.accepts("__metadata__")
    assert GGUF.accepts("__metadata__")
    assert SAFETENSORS.accepts("x" * 1000)
    assert GGUF.accepts("x" * 63) and not GGUF.accepts("x" * 64)
    assert not GGUF.accepts("ü" * 32)


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("a.onnx.safetensors", SAFETENSORS),
        ("A.GGUF", GGUF),
        ("m.onnx", None),
        ("gguf", None),
        ("m.safetensors.onnx", None),
    ],
)
def test_the_name_of_a_file_tells_its_format(path, format):
    assert format_of(path) is format
