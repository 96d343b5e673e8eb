import os

import numpy as np
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import dtypes
from onnxsim_core.ir.files import File
from onnxsim_core.ir.same import SAMPLE, same_bytes
from onnxsim_core.ir.tensors import ArrayTensor, DeferredTensor, MissingTensor, SpanTensor, from_array


class CountingFile(File):
    """A file that notes what is read of it."""

    __slots__ = ("read",)

    def __init__(self, path):
        super().__init__(path)
        self.read = 0

    def pread(self, offset, length):
        self.read += length
        return super().pread(offset, length)


def span(tmp_path, name, data, shift=0):
    path = tmp_path / name
    path.write_bytes(b"\xaa" * shift + data)
    return SpanTensor(dtypes.UINT8, (len(data),), CountingFile(path), shift)


@pytest.mark.parametrize("size", [0, 1, 100, 3 * SAMPLE, 3 * SAMPLE + 1, 3_000_000])
def test_equal_bytes_in_different_places_are_the_same(tmp_path, size):
    data = np.random.default_rng(0).integers(0, 256, size, np.uint8)
    a, b = span(tmp_path, "a", data.tobytes()), span(tmp_path, "b", data.tobytes(), 7)
    array = from_array(data)
    for left, right in [(a, b), (a, array), (array, b), (array, from_array(data.copy()))]:
        assert same_bytes(left, right)


@pytest.mark.parametrize("size", [100, 3 * SAMPLE + 1, 3_000_000])
@pytest.mark.parametrize("place", [0.0, 0.3, 0.999999])
def test_one_other_byte_is_found_wherever_it_is(tmp_path, size, place):
    data = bytearray(size)
    data[int(size * place)] = 1
    a, b = span(tmp_path, "a", bytes(data)), span(tmp_path, "b", bytes(size), 7)
    assert not same_bytes(a, b)
    assert not same_bytes(a, from_array(np.zeros(size, np.uint8)))
    assert not same_bytes(from_array(np.frombuffer(data, np.uint8)), b)


def test_a_difference_in_the_sampled_blocks_costs_little(tmp_path):
    a, b = span(tmp_path, "a", bytes(4 << 20)), span(tmp_path, "b", bytes((4 << 20) - 1) + b"\1")
    assert not same_bytes(a, b)
    assert a.file.read + b.file.read <= 6 * SAMPLE


def test_the_same_place_in_the_same_file_is_not_read(tmp_path):
    a = span(tmp_path, "a", bytes(100_000))
    b = SpanTensor(dtypes.UINT8, a.dims, CountingFile(a.file.path), 0)
    assert same_bytes(a, b) and same_bytes(a, a)
    assert a.file.read + b.file.read == 0
    assert not same_bytes(a.reshaped((10, 10_000)), b)


def test_type_and_dims_are_part_of_it():
    zeros = np.zeros((2, 3), np.float32)
    assert not same_bytes(from_array(zeros), from_array(zeros.reshape(3, 2)))
    assert not same_bytes(from_array(zeros), from_array(zeros.astype(np.int32)))


def test_bytes_count_not_values():
    nan = np.array([np.nan], np.float32)
    assert same_bytes(from_array(nan), from_array(nan.copy()))
    assert not same_bytes(from_array(np.array([0.0])), from_array(np.array([-0.0])))


def test_strings_are_compared_one_by_one():
    a = from_array(np.array([b"ab", b"c"], object))
    assert same_bytes(a, from_array(np.array(["ab", "c"])))
    assert not same_bytes(a, from_array(np.array([b"a", b"bc"], object)))


def test_chunks_of_different_sizes_are_lined_up():
    base = np.random.default_rng(0).integers(0, 100, (700, 900), np.int64)
    deferred = DeferredTensor(dtypes.INT64, (900, 700), lambda: base.T)
    assert same_bytes(deferred, ArrayTensor(base.T))
    changed = base.copy()
    changed[-1, -1] += 1
    assert not same_bytes(deferred, ArrayTensor(changed.T))


def sparse_file(path, size, marks):
    with open(path, "wb") as file:
        for offset, data in marks:
            file.seek(offset)
            file.write(data)
        file.truncate(size)
    return CountingFile(path)


def test_holes_that_two_files_share_are_not_read(tmp_path):
    size = 1 << 32
    a = sparse_file(tmp_path / "a", size, [(1 << 30, b"x")])
    b = sparse_file(tmp_path / "b", size, [(1 << 30, b"x"), (3 << 30, b"\0")])
    left, right = (SpanTensor(dtypes.UINT8, (size,), file) for file in (a, b))
    assert same_bytes(left, right)
    assert a.read + b.read < 64 << 20
    c = sparse_file(tmp_path / "c", size, [(1 << 30, b"x"), (3 << 30, b"\1")])
    assert not same_bytes(left, SpanTensor(dtypes.UINT8, (size,), c))


def test_an_unreadable_tensor_is_an_error_not_a_difference(tmp_path):
    a = span(tmp_path, "a", bytes(100_000))
    with pytest.raises(ModelError, match="gone"):
        same_bytes(a, MissingTensor(dtypes.UINT8, a.dims, "gone"))
    os.truncate(a.file.path, 10)
    b = span(tmp_path, "b", bytes(100_000))
    with pytest.raises(ModelError, match="shorter"):
        same_bytes(a, b)
