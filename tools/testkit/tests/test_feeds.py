import numpy as np
import pytest

from onnxsim_testkit import model, random_feeds

TEXT = """g (float[batch,3] x, int64[batch,seq] ids, bool[seq] mask, float16 scale, bfloat16[2] b, string[2] s,
           float[2] w) => (float[batch,3] y) <float[2] w = {1, 2}> { y = Relu(x) }"""


def test_each_input_without_an_initializer_gets_a_value_of_its_type():
    feeds = random_feeds(model(TEXT), seed=1, integers=(-2, 3))

    assert list(feeds) == ["x", "ids", "mask", "scale", "b", "s"]
    assert {name: (value.dtype.name, value.shape) for name, value in feeds.items()} == {
        "x": ("float32", (2, 3)),
        "ids": ("int64", (2, 3)),
        "mask": ("bool", (3,)),
        "scale": ("float16", ()),
        "b": ("bfloat16", (2,)),
        "s": ("object", (2,)),
    }
    assert feeds["ids"].min() >= -2 and feeds["ids"].max() <= 2


def test_a_symbol_has_the_given_size_everywhere():
    feeds = random_feeds(model(TEXT), dims={"batch": 6, "seq": 1})

    assert (feeds["x"].shape, feeds["ids"].shape, feeds["mask"].shape) == ((6, 3), (6, 1), (1,))


def test_the_seed_decides():
    first, again, other = (random_feeds(model(TEXT), seed=seed)["x"] for seed in (3, 3, 4))

    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", ["float[] x", "seq(float[2]) x"])
def test_an_input_without_a_rank_is_an_error(kind):
    with pytest.raises(ValueError, match="input 'x' is no tensor of known rank"):
        random_feeds(model(f"g ({kind}) => (float[2] y) {{ y = Foo(x) }}"))
