"""How a verdict reads."""

from onnxsim_core.check.result import CheckResult, Mismatch


def test_a_verdict_without_mismatches_is_ok():
    assert CheckResult(1).ok and str(CheckResult(1)) == "equal on 1 random input"
    assert str(CheckResult(3)) == "equal on 3 random inputs"


def test_a_mismatch_names_output_run_and_difference():
    plain = Mismatch("y", 2, "shape [1] instead of [2]")
    much = Mismatch("y", 0, "1 of 2 elements are outside the tolerance", 0.12345, 2.0)

    assert str(plain) == "output 'y' differs in run 2: shape [1] instead of [2]"
    assert str(much).endswith("outside the tolerance (max abs 0.123, max rel 2)")
    assert str(Mismatch("", 0, "onnxruntime cannot load the model: x")) == "onnxruntime cannot load the model: x"


def test_a_verdict_shows_three_mismatches_at_most():
    result = CheckResult(1, tuple(Mismatch(name, 0, "maps differ") for name in "abcde"))

    assert not result.ok
    assert [part.split("'")[1] for part in str(result).split("; ")] == ["a", "b", "c"]
