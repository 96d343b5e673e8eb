import numpy as np
import onnx
import pytest

from onnxsim_testkit import model
from onnxsim_testkit.backend_suite import Case, backend_cases
from onnxsim_testkit.conformance import NOT_RUN, VARIANTS, constant, judge_case, symbolic

TEXT = "g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }"
X = np.arange(6, dtype=np.float32).reshape(2, 3)
NAMES = [variant.name for variant in VARIANTS]


def case(text=TEXT, expected=-X):
    return Case("some", "node", model(text), (({"x": X}, [expected]),), 1e-3, 1e-7)


def unchanged(proto, **options):
    return proto


def wrong(proto, **options):
    broken = onnx.ModelProto()
    broken.CopyFrom(proto)
    broken.graph.node[0].op_type = "Relu"
    return broken


def refusing(proto, **options):
    raise ValueError("no")


def test_what_is_right_has_no_faults():
    outcome = judge_case(case(), unchanged)

    assert outcome.judge == "onnxruntime"
    assert outcome.variants == dict.fromkeys(NAMES, "")


@pytest.mark.parametrize("simplify", [wrong, refusing])
def test_what_is_wrong_or_fails_is_a_fault_in_every_variant(simplify):
    assert sorted(judge_case(case(), simplify).faults) == sorted(NAMES)


def test_what_no_runtime_passes_is_not_judged_but_must_be_simplified():
    unexpected = case(expected=X + 7)

    outcome = judge_case(unexpected, unchanged)
    assert outcome.judge == "" and "Mismatch" in outcome.why
    assert set(outcome.variants.values()) == {NOT_RUN}
    assert sorted(judge_case(unexpected, refusing).faults) == sorted(NAMES)


def test_onnx_reference_judges_what_onnxruntime_lacks():
    text = "g (float[2,3] x) => (double[2,3] y) { d = Cast<to=11>(x) z = Erf(d) y = Sub(z, z) }"

    outcome = judge_case(case(text, expected=np.zeros((2, 3))), unchanged)

    assert outcome.judge == "onnx.reference"
    assert outcome.variants == dict.fromkeys(NAMES, "")


def test_symbolic_sizes_have_names_of_their_own():
    changed, _ = symbolic(model(TEXT), {"x": X})

    assert [dim.dim_param for dim in changed.graph.input[0].type.tensor_type.shape.dim] == ["s0_0", "s0_1"]


def test_constant_inputs_are_initializers():
    changed, feeds = constant(model(TEXT), {"x": X})

    assert not feeds and not changed.graph.input
    assert onnx.numpy_helper.to_array(changed.graph.initializer[0]).tolist() == X.tolist()


def test_every_kind_of_case_is_found():
    kinds = ("simple", "pytorch-converted", "pytorch-operator", "light")
    assert {found.kind for found in backend_cases(*kinds)} == set(kinds)
