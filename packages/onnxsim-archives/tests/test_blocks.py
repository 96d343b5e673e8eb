import gguf
import numpy as np
import pytest
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from onnxsim_archives.blocks import DEQUANTIZED, dequantize
from onnxsim_archives.layout_gguf import KINDS

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("kind", DEQUANTIZED)
@pytest.mark.filterwarnings("ignore:.*encountered in multiply", "ignore:.*encountered in add")
def test_random_blocks_become_the_numbers_of_the_gguf_package_bit_for_bit(kind):
    # Random bits give scales that are infinite or no number, too.
    blocks = RNG.integers(0, 256, (400, KINDS[kind].nbytes), dtype=np.uint8)
    expected = gguf.quants.dequantize(blocks, GGMLQuantizationType[kind]).reshape(-1)

    found = dequantize(kind, blocks.tobytes())

    assert found.dtype == np.float32
    assert np.array_equal(found.view(np.uint32), expected.astype(np.float32).view(np.uint32))


def test_many_blocks_are_done_in_parts_and_no_block_is_nothing():
    blocks = RNG.integers(0, 100, (40_000, 34), dtype=np.uint8)

    expected = gguf.quants.dequantize(blocks, GGMLQuantizationType.Q8_0).reshape(-1)
    assert np.array_equal(dequantize("Q8_0", blocks.tobytes()), expected)
    assert dequantize("Q4_K", b"").shape == (0,)


def test_the_table_of_types_agrees_with_the_gguf_package():
    known = {type.name: (int(type), *sizes) for type, sizes in GGML_QUANT_SIZES.items()}

    shared = KINDS.keys() & known.keys()
    assert {name: tuple(KINDS[name]) for name in shared} == {name: known[name] for name in shared}
    assert len(shared) >= 30
