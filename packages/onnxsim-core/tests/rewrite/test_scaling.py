"""Weights times factors: the products, their ranges, and how they are read."""

import numpy as np
import pytest

from onnxsim_core.ir import dtypes
from onnxsim_core.ir.files import File
from onnxsim_core.ir.tensors import ArrayTensor, DeferredTensor, SpanTensor
from onnxsim_core.rewrite.scaling import BLOCK, DEFER_FROM, blocks, keeps_range, product, scaled

RNG = np.random.default_rng(7)


def in_file(folder, array):
    """A tensor that lies in a file, at an odd offset."""
    (folder / "weights").write_bytes(b"head" + array.tobytes())
    return SpanTensor(dtypes.from_numpy(array.dtype), array.shape, File(folder / "weights"), 4)


SHAPES = [((512, 3, 5, 7), (512, 1, 1, 1)), ((16, 6000), (6000,)), ((3, 70_000), (3, 1)), ((40, 8, 100), (40, 8, 1)),
          ((70_000,), (70_000,)), ((300, 200), ())]


@pytest.mark.parametrize(("dims", "factor"), SHAPES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_product_is_rounded_once_however_it_is_read(tmp_path, dims, factor, dtype):
    weight = RNG.standard_normal(dims).astype(dtype)
    scale = RNG.standard_normal(factor)
    expected = (weight.astype(np.float64) * scale).astype(dtype)
    for tensor in (in_file(tmp_path, weight), ArrayTensor(weight)):
        made = scaled(tensor, scale)
        assert isinstance(made, DeferredTensor) and made.dims == dims and made.dtype == tensor.dtype
        for size in (1 << 20, 4096):
            pieces = [bytes(piece) for piece in made.chunks(size)]
            assert max(map(len, pieces)) <= size
            assert b"".join(pieces) == expected.tobytes()
        np.testing.assert_array_equal(made.numpy(), expected)
        held = made.numpy()
        assert b"".join(map(bytes, made.chunks())) == held.tobytes()


def test_a_small_product_is_there_at_once():
    tensor = ArrayTensor(np.full((4, 4), 3.0, np.float32))
    made = scaled(tensor, np.full((4, 1), 0.5))
    assert isinstance(made, ArrayTensor) and made.nbytes < DEFER_FROM
    np.testing.assert_array_equal(made.numpy(), np.full((4, 4), 1.5, np.float32))


def test_products_of_one_weight_and_factor_have_one_recipe():
    tensor, other = (ArrayTensor(np.ones((100, 100), np.float32)) for _ in range(2))
    factor = np.full((100, 1), 2.0)
    one, same = scaled(tensor, factor), scaled(tensor, factor.copy())
    assert one.recipe == same.recipe
    for different in (scaled(other, factor), scaled(tensor, factor * 2), scaled(tensor, factor.reshape(100))):
        assert different.recipe != one.recipe


def test_blocks_are_the_rows_in_order(tmp_path):
    weight = np.arange(100_000, dtype=np.float32).reshape(1000, 100)
    seen = [(start, rows.copy()) for start, rows in blocks(in_file(tmp_path, weight))]
    assert [start for start, _ in seen] == list(range(0, 1000, BLOCK // 400))
    np.testing.assert_array_equal(np.concatenate([rows for _, rows in seen]), weight)
    assert list(blocks(ArrayTensor(np.zeros((0, 3), np.float32)))) == []
    (start, rows), = blocks(ArrayTensor(np.float32(3)))
    assert start == 0 and rows == 3


@pytest.mark.parametrize(("number", "factor", "kept"), [
    (1.0, 2.0, True), (3e38, 1.0, True), (3e38, 2.0, False), (1e-30, 1e-20, False), (0.0, 1e-20, True), (1.0, 0.0, True),
    (np.inf, 1.0, False), (np.nan, 1.0, False), (1.0, np.nan, False), (1.0, np.inf, False),
])
@pytest.mark.parametrize("row", [0, 999])
def test_the_largest_product_decides(tmp_path, number, factor, kept, row):
    weight = np.zeros((1000, 100), np.float32)
    weight[row, 50] = -number
    scale = np.zeros((1000, 1))
    scale[row] = factor
    assert keeps_range(in_file(tmp_path, weight), scale) is kept
    assert keeps_range(ArrayTensor(weight), scale) is kept


def test_half_floats_have_their_own_range():
    weight = ArrayTensor(np.full((10, 10), -1000.0, np.float16))
    assert keeps_range(weight, np.full((10, 1), 65.0))
    assert not keeps_range(weight, np.full((10, 1), 66.0))
    assert not keeps_range(weight, np.full((10, 1), 1e-8))
    assert keeps_range(ArrayTensor(np.zeros((0, 10), np.float16)), np.zeros((0, 1)))


def test_numbers_beyond_the_type_become_infinite_without_a_warning():
    with np.errstate(all="raise"):
        assert np.isinf(product(np.full(3, 3e38, np.float32), np.full(3, 10.0))).all()
