from onnxsim_archives.formats import GGUF, SAFETENSORS
from onnxsim_archives.names import EntryNames


def test_a_free_name_is_kept():
    names = EntryNames(SAFETENSORS)

    assert [names.assign(key) for key in ("a", "b/c.d", "ü")] == ["a", "b/c.d", "ü"]


def test_names_that_cannot_be_had_are_shortened_to_fit_and_told_apart():
    keys = ["x" * 100, "x" * 99 + "y", "ü" * 60, "model.onnx", "a\0b", "", "bad\udcff", "tab\tbed" * 20]
    names = EntryNames(GGUF)
    given = [names.assign(key) for key in keys]

    assert len({*given}) == len(keys)
    assert all(GGUF.accepts(name) for name in given)
    assert given[0].startswith("x" * 40 + "xx") and given[2].startswith("ü" * 23)
    assert given[4].startswith("a_b~")


def test_a_key_that_comes_twice_gets_two_names_the_same_ones_each_time():
    first, second = EntryNames(SAFETENSORS), EntryNames(SAFETENSORS)
    given = [first.assign("k") for _ in range(3)]

    assert len({*given}) == 3 and given[0] == "k"
    assert given == [second.assign("k") for _ in range(3)]


def test_a_name_that_was_given_is_not_given_again():
    taken = EntryNames(SAFETENSORS)
    taken.assign("k")
    second = taken.assign("k")
    names = EntryNames(SAFETENSORS)
    names.assign("k")

    assert names.assign(second) == second
    assert names.assign("k") not in ("k", second)
