import pytest

from onnxsim_archives import ArchiveError
from onnxsim_archives.safety import check_spans, shown
from onnxsim_core import ModelError


@pytest.mark.parametrize(
    "spans",
    [
        [],
        [(10, 90, "all")],
        [(50, 50, "b"), (10, 40, "a")],
        [(10, 0, "none"), (10, 5, "a"), (15, 0, "none either"), (100, 0, "at the end")],
        [(12, 0, "none inside another"), (10, 5, "a")],
    ],
)
def test_spans_that_may_be(spans):
    check_spans(spans, 10, 100, where="f")


@pytest.mark.parametrize(
    ("spans", "code", "text"),
    [
        ([(9, 1, "a")], "archive-range", "'a' takes bytes 9 to 10, the data are 10 to 100"),
        ([(99, 2, "a")], "archive-range", "'a' takes bytes 99 to 101"),
        ([(101, 0, "a")], "archive-range", "'a'"),
        ([(20, -1, "a")], "archive-range", "'a'"),
        ([(10, 20, "a"), (29, 1, "b")], "archive-overlap", "'a' and 'b' overlap"),
        ([(10, 50, "a"), (20, 5, "b"), (40, 30, "c")], "archive-overlap", "'a' and 'b' overlap"),
        ([(10, 5, "a"), (10, 5, "b")], "archive-overlap", "'a' and 'b' overlap"),
    ],
)
def test_spans_that_may_not_be(spans, code, text):
    with pytest.raises(ArchiveError, match=text) as caught:
        check_spans(spans, 10, 100, where="f")
    assert caught.value.code == code and caught.value.where == "f"


def test_the_error_is_a_model_error_and_as_before_a_runtime_error():
    assert issubclass(ArchiveError, ModelError) and issubclass(ArchiveError, RuntimeError)


def test_long_names_are_cut():
    assert shown("a'b") == '"a\'b"'
    assert len(shown("x" * 10_000)) < 100
