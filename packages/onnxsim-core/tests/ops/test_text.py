"""Shapes of operators on text against the judge."""

import numpy as np
from ops.judging import facts, judge


def words(values: object) -> np.ndarray:
    return np.array(values, dtype=object)


def test_concatenation_broadcasts() -> None:
    text = "g (string[N,1] a, string[M] b) => (y) { y = StringConcat(a, b) }"
    found = judge(text, {"a": words([["a"], ["b"]]), "b": words(["x", "y", "z"])}, kernels=False)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, M]", 8)
    assert facts("g (string[] a, string[M] b) => (y) { y = StringConcat(a, b) }").shape("y") == "?"


def test_splitting_adds_an_axis_of_unknown_size() -> None:
    text = "g (string[N] a) => (y, n) { y, n = StringSplit(a) }"
    for given in (["a b", "c d e"], []):
        found = judge(text, {"a": words(given)}, kernels=False)
        assert (found.shape("y"), found.shape("n")) == ("[N, _]", "[N]")
        assert (found.values["y"].dtype, found.values["n"].dtype) == (8, 7)
    assert facts("g (string[] a) => (y) { y = StringSplit(a) }").shape("y") == "?"


def test_matching_gives_bool() -> None:
    text = 'g (string[N] a) => (y) { y = RegexFullMatch<pattern="a+">(a) }'
    found = judge(text, {"a": words(["a", "b"])}, kernels=False)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N]", 9)


def test_normalizing_may_drop_words() -> None:
    text = "g (string[1,N] a) => (y) {{ y = StringNormalizer<{}is_case_sensitive=1>(a) }}"
    for given in (["a", "b"], ["a"]):
        stops = judge(text.format('stopwords=["a"],'), {"a": words([given])}, kernels=False)
        assert stops.shape("y") == "[1, _]"
        assert judge(text.format(""), {"a": words([given])}, kernels=False).shape("y") == "[1, N]"
    assert facts("g (string[] a) => (y) { y = StringNormalizer(a) }").shape("y") == "?"


def test_invalid_nodes_say_nothing() -> None:
    for op_type in ("StringConcat", "StringSplit", "RegexFullMatch", "StringNormalizer"):
        assert facts(f"g (string[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"
