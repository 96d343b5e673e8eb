import pytest

from onnxsim_core.errors import OptionError
from onnxsim_core.options import Environment, environment, parse_size, profile_wanted

NAMES = ("ONNXSIM_FIXED_POINT_ITERS", "ONNXSIM_PROFILE", "ONNXSIM_ORT_PROFILE", "ONNXSIM_MERGE_ORT_PROFILE",
         "ONNXSIM_PROFILE_INTERVAL_MS")


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def test_an_empty_environment_asks_for_nothing():
    assert environment() == Environment(50, None, None, False, 5.0)
    assert profile_wanted() is None


def test_each_variable_is_read(monkeypatch):
    for name, value in zip(NAMES, ("7", "p.json", "ort", "1", "2.5"), strict=True):
        monkeypatch.setenv(name, value)

    assert environment() == Environment(7, "p.json", "ort", True, 2.5)


@pytest.mark.parametrize(("word", "expected"), [
    ("1", "onnxsim_profile.json"), ("TRUE", "onnxsim_profile.json"), ("on", "onnxsim_profile.json"), ("", None),
    ("0", None), ("off", None), ("No", None), ("x.json", "x.json")])
def test_words_for_yes_and_no(monkeypatch, word, expected):
    monkeypatch.setenv("ONNXSIM_PROFILE", word)

    assert environment().profile == expected


@pytest.mark.parametrize(("name", "value"), [
    ("ONNXSIM_FIXED_POINT_ITERS", "0"), ("ONNXSIM_FIXED_POINT_ITERS", "-1"), ("ONNXSIM_FIXED_POINT_ITERS", "many"),
    ("ONNXSIM_PROFILE_INTERVAL_MS", "0"), ("ONNXSIM_PROFILE_INTERVAL_MS", "fast"),
    ("ONNXSIM_PROFILE_INTERVAL_MS", "inf")])
def test_what_is_no_number_is_refused(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    with pytest.raises(OptionError, match=name):
        environment()


def test_arguments_go_before_the_environment(monkeypatch):
    monkeypatch.setenv("ONNXSIM_PROFILE", "env.json")
    monkeypatch.setenv("ONNXSIM_ORT_PROFILE", "env")

    found = profile_wanted("arg.json", "")
    assert (found.profile, found.ort_profile) == ("arg.json", "onnxsim_ort_profile")
    found = profile_wanted()
    assert (found.profile, found.ort_profile) == ("env.json", "env")
    found = profile_wanted(False)
    assert (found.profile, found.ort_profile) == (None, "env")


def test_merging_needs_a_trace_to_merge_into():
    found = profile_wanted(merge_ort_profile=True)

    assert (found.profile, found.ort_profile, found.merge_ort_profile) == ("onnxsim_profile.json", None, True)


@pytest.mark.parametrize(("text", "expected"), [
    ("1KB", 1024), ("1kb", 1024), ("1 KiB", 1024), ("1M", 1 << 20), ("1.5GB", 3 << 29), ("0B", 0), ("512", 512), (7, 7),
    ("2TB", 2 << 40)])
def test_sizes(text, expected):
    """F26: `1M`, `KiB`, plain numbers and ints were once refused."""
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", ["", "B", "1X", "KB1", "-1KB", "infB", "1.2.3"])
def test_what_is_no_size(text):
    with pytest.raises(OptionError, match="is not a size"):
        parse_size(text)
