import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from installed import WITH_WIDTH
from onnx import TensorProto, helper, numpy_helper

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import dtypes
from onnxsim_core.ir.raw import array_chunks, from_raw, owned, pack, slices, strings_array, to_raw, typed_bytes, unpack

VARIED = [dtypes.FLOAT, dtypes.BFLOAT16, dtypes.INT4, dtypes.FLOAT6E3M2, dtypes.INT2]


def random_array(dtype, dims, seed=0):
    """Any bit patterns the type has, as onnx's own reader sees them."""
    count = math.prod(dims)
    data = np.random.default_rng(seed).integers(0, 256, dtypes.nbytes(dtype, count), np.uint8)
    if dtype == dtypes.BOOL:
        data &= 1
    proto = TensorProto(dims=dims, data_type=dtype, raw_data=data.tobytes())
    return numpy_helper.to_array(proto)


def bits(array):
    """Bit patterns for comparing, since NaN is not equal to itself; padding bits are no part of them."""
    codes = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    width = dtypes.BITS[dtypes.from_numpy(array.dtype)]
    return (codes & ((1 << width) - 1) if width < 8 else codes).tolist()


@pytest.mark.parametrize("dtype", WITH_WIDTH)
@pytest.mark.parametrize("dims", [(), (0,), (1,), (2, 3), (5, 1, 3), (17,), (2, 0, 3)])
def test_raw_bytes_and_arrays_are_those_of_onnx(dtype, dims):
    array = random_array(dtype, dims)
    raw = numpy_helper.from_array(array).raw_data
    assert bytes(to_raw(array, dtype)) == raw
    ours = from_raw(raw, dtype, dims)
    assert (ours.shape, ours.dtype) == (array.shape, array.dtype)
    assert bits(ours) == bits(array)
    assert not ours.flags.writeable


@given(st.sampled_from([2, 4, 6]), st.lists(st.integers(0, 255), max_size=40))
def test_packing_is_the_bit_stream_of_the_codes(width, codes):
    codes = [code & ((1 << width) - 1) for code in codes]
    stream = sum(code << (width * i) for i, code in enumerate(codes))
    expected = stream.to_bytes((len(codes) * width + 7) // 8, "little")
    packed = pack(np.array(codes, np.uint8), width)
    assert packed.tobytes() == expected
    assert unpack(packed, width, len(codes)).tolist() == codes


def test_packing_ignores_the_bits_above_a_code():
    assert pack(np.array([0xF1, 0xF2], np.uint8), 4).tolist() == [0x21]


@pytest.mark.parametrize("dtype", WITH_WIDTH)
def test_typed_fields_read_as_onnx_reads_them(dtype):
    values = random_array(dtype, (3, 3), seed=dtype)
    proto = helper.make_tensor("t", dtype, (3, 3), values)
    assert not proto.HasField("raw_data")
    expected = numpy_helper.to_array(proto)
    assert bits(from_raw(typed_bytes(proto, dtype), dtype, (3, 3))) == bits(expected)


def test_typed_fields_keep_only_the_bits_of_the_type():
    proto = TensorProto(data_type=dtypes.UINT8, dims=[3], int32_data=[-1, 256, 257])
    assert bytes(typed_bytes(proto, dtypes.UINT8)) == b"\xff\x00\x01"
    proto = TensorProto(data_type=dtypes.FLOAT6E2M3, dims=[2], int32_data=[0x7F, 0x40])
    assert bytes(typed_bytes(proto, dtypes.FLOAT6E2M3)) == b"\x3f\x00"
    proto = TensorProto(data_type=dtypes.UINT32, dims=[1], uint64_data=[(1 << 32) + 5])
    assert bytes(typed_bytes(proto, dtypes.UINT32)) == b"\x05\0\0\0"


def test_typed_fields_of_a_type_without_width_are_declined():
    with pytest.raises(ModelError, match="STRING has no fixed width"):
        typed_bytes(TensorProto(data_type=dtypes.STRING), dtypes.STRING)


def test_raw_bytes_of_strings_are_declined():
    with pytest.raises(ModelError, match="STRING has no raw bytes"):
        to_raw(np.array([b"a"], object), dtypes.STRING)


@pytest.mark.parametrize("dtype", [d for d in VARIED if d in WITH_WIDTH])
@pytest.mark.parametrize("size", [1, 3, 16, 1 << 20])
@pytest.mark.parametrize("view", ["plain", "transposed", "strided", "reversed", "broadcast", "scalar", "empty"])
def test_chunks_of_any_view_join_to_the_bytes_of_its_copy(dtype, size, view):
    base = random_array(dtype, (5, 7, 3))
    array = {
        "plain": base,
        "transposed": base.T,
        "strided": base[::2, 1::3],
        "reversed": base[::-1, :, ::-1],
        "broadcast": np.broadcast_to(base[0], (4, 7, 3)),
        "scalar": base[2, 3, 1],
        "empty": base[:0],
    }[view]
    array = np.asarray(array)
    chunks = [bytes(chunk) for chunk in array_chunks(array, dtype, size)]
    assert b"".join(chunks) == numpy_helper.from_array(np.array(array)).raw_data
    assert all(0 < len(chunk) <= size for chunk in chunks)


def test_slices_cover_a_buffer_in_order():
    assert [bytes(s) for s in slices(b"abcdefg", 3)] == [b"abc", b"def", b"g"]
    assert [bytes(s) for s in slices(b"abc", 3)] == [b"abc"]
    assert list(slices(b"", 3)) == []


def test_bytes_are_little_endian_on_a_big_endian_machine(monkeypatch):
    # There, numpy's native arrays are big-endian, which a swap of this machine's stands for.
    monkeypatch.setattr("onnxsim_core.ir.raw._SWAP", True)
    assert from_raw(b"\x01\x02\x03\x04", dtypes.UINT16, (2,)).tolist() == [0x0102, 0x0304]
    assert bytes(to_raw(np.array([0x0102, 0x0304], np.uint16), dtypes.UINT16)) == b"\x01\x02\x03\x04"


def test_dims_that_numpy_cannot_hold_are_a_model_error():
    for dims in [(0, 1 << 62, 1 << 62), (1,) * 100]:
        with pytest.raises(ModelError, match="cannot be had in memory"):
            from_raw(b"" if 0 in dims else b"\0", dtypes.UINT8, dims)


def test_strings_are_an_object_array_of_bytes():
    array = strings_array([b"a", b"", b"\xff"], (1, 3))
    assert array.tolist() == [[b"a", b"", b"\xff"]]
    assert array.dtype == object and not array.flags.writeable
    with pytest.raises(ModelError, match=r"STRING\[2\] has 3 elements"):
        strings_array([b"a", b"b", b"c"], (2,))


def test_owned_shares_what_it_can_and_never_hands_out_a_writable_array():
    array = np.arange(6.0, dtype=np.float32)
    held = owned(array, dtypes.FLOAT)
    assert np.shares_memory(held, array)
    assert array.flags.writeable and not held.flags.writeable


def test_owned_copies_views_with_gaps_and_small_parts_of_large_arrays():
    large = np.zeros(10_000, np.float32)
    assert not np.shares_memory(owned(large[:10], dtypes.FLOAT), large)
    assert np.shares_memory(owned(large[:6000], dtypes.FLOAT), large)
    gaps = owned(large[::2], dtypes.FLOAT)
    assert gaps.flags.c_contiguous and not np.shares_memory(gaps, large)


def test_owned_turns_big_endian_text_and_bit_patterns_into_what_they_mean():
    assert owned(np.array([1, 2], ">i4"), dtypes.INT32).dtype == np.dtype("int32")
    assert owned(np.array([1, 2], ">i4"), dtypes.INT32).tolist() == [1, 2]
    assert owned(np.array(["ä", "b"]), dtypes.STRING).tolist() == ["ä".encode(), b"b"]
    assert owned(np.array([0x3F80], np.uint16), dtypes.BFLOAT16).astype(np.float32).tolist() == [1.0]


def test_owned_declines_an_array_of_another_type():
    with pytest.raises(ModelError, match="an array of float64 does not hold float32"):
        owned(np.zeros(2), dtypes.FLOAT)
