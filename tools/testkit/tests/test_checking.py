"""Each way a simplifier may be wrong, one at a time: the checks find it, and say in which way."""

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from onnxsim_testkit import model
from onnxsim_testkit.fuzzing import RandomModel, check, examine
from onnxsim_testkit.fuzzing.checking import OPTIONS

X = np.array([[1, -2, 3, -4, 5, -6], [0.5, -0.5, 7, 8, -9, 10]], np.float32)
TEXT = """g (float[n,6] x, int64[2] i) => (float[n,6] y, int64[2] w) {
    a = Neg(x) b = Identity(a) c = Add(b, b) d = Sub(c, c) e = Add(d, c) y = Identity(e) v = Identity(i) w = Abs(v) }"""


def case(text=TEXT, **arrays):
    feeds = {"x": X, "i": np.array([3, -4])}
    sizes = {name: list(array.shape) for name, array in feeds.items()}
    return RandomModel(model(text, opset=17, initializers=arrays), [feeds], True, sizes)


def copied(proto):
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    return copy


def made_by(proto, op_type):
    return [node for node in proto.graph.node if node.op_type == op_type]


def correct(proto, **options):
    """Take out every Identity that does not make an output."""
    result = copied(proto)
    outputs = {info.name for info in result.graph.output}
    other = {}
    for node in made_by(result, "Identity"):
        if node.output[0] not in outputs:
            other[node.output[0]] = other.get(node.input[0], node.input[0])
            result.graph.node.remove(node)
    for node in result.graph.node:
        node.input[:] = [other.get(name, name) for name in node.input]
    return result


def also(fault, when=lambda proto, options: True):
    """A simplifier that is correct but for what `fault` does to its result, in some runs."""

    def simplify(proto, **options):
        result = correct(proto, **options)
        if when(proto, options):
            fault(result)
        return result

    return simplify


def found(simplify, random=None, seed=0):
    return examine(random or case(), simplify, seed)[1]


# --- faults ------------------------------------------------------------------------------------------------------------
def wrong_numbers(proto):
    for node in made_by(proto, "Neg"):
        node.op_type = "Abs"


def wrong_for_nan(proto):
    """x - x -> 0, which it is not for infinity and NaN."""
    for node in made_by(proto, "Sub"):
        zeros = numpy_helper.from_array(np.zeros((1, 6), np.float32))
        node.CopyFrom(helper.make_node("Constant", [], node.output[:], value=zeros))


def other_operator(proto):
    """x + x -> 2 * x."""
    for node in made_by(proto, "Add"):
        if node.input[0] == node.input[1]:
            node.op_type, node.input[1] = "Mul", "two"
            proto.graph.initializer.append(numpy_helper.from_array(np.float32(2), "two"))


def one_more_node(proto):
    node = proto.graph.node[0]
    extra = helper.make_node("Sum", [node.input[0]], [f"more{len(proto.graph.node)}"])
    node.input[0] = extra.output[0]
    proto.graph.node.insert(0, extra)


def without_last_output(proto):
    del proto.graph.output[-1]


def outputs_reversed(proto):
    proto.graph.output.reverse()


def inputs_reversed(proto):
    proto.graph.input.reverse()


def without_last_input(proto):
    removed = proto.graph.input.pop()
    proto.graph.initializer.append(numpy_helper.from_array(np.array([3, -4]), removed.name))


def unknown_operator(proto):
    made_by(proto, "Neg")[0].op_type = "Negative"


def index_too_large(proto):
    """Nothing that onnx's checker could find."""
    node = made_by(proto, "Neg")[0]
    taken = helper.make_node("Gather", [node.input[0], "nine"], node.output, axis=0)
    proto.graph.initializer.append(numpy_helper.from_array(np.array([9, 9]), "nine"))
    node.CopyFrom(taken)


def declared_another_size(proto):
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "m"


def declared_another_rank(proto):
    proto.graph.output[0].type.tensor_type.shape.dim.add()


def declared_another_type(proto):
    proto.graph.output[1].type.tensor_type.elem_type = onnx.TensorProto.INT32


def without_attributes(proto):
    del made_by(proto, "Custom")[0].attribute[:]


def another_type(proto):
    node = made_by(proto, "Abs")[0]
    proto.graph.node.append(helper.make_node("Cast", ["w64"], node.output, to=onnx.TensorProto.INT32))
    node.output[0] = "w64"
    proto.graph.output[1].type.tensor_type.elem_type = onnx.TensorProto.INT32


# --- findings ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(len(OPTIONS)))
def test_nothing_is_wrong_with_a_correct_simplifier(seed):
    simplified, fault = examine(case(), correct, seed)

    assert fault == ""
    assert len(made_by(simplified, "Identity")) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (wrong_numbers, "feeds 0, output y: 7 of 12 elements"),
        (without_last_output, "outputs ['y'], expected ['y', 'w']"),
        (outputs_reversed, "outputs ['w', 'y']"),
        (inputs_reversed, "inputs ['i', 'x'], expected ['x', 'i']"),
        (without_last_input, "inputs ['x'], expected ['x', 'i']"),
        (unknown_operator, "onnx's checker refuses the simplified model"),
        (index_too_large, "feeds 0: the simplified model does not run"),
        (another_type, "outputs: w is declared to have another type"),
        (declared_another_type, "outputs: w is declared to have another type"),
        (declared_another_rank, "outputs: y is declared to have another rank"),
        (declared_another_size, "inputs: x is declared to have another size"),
    ],
)
def test_what_is_plainly_wrong(fault, words):
    assert found(also(fault)).startswith(f"plainly: Mismatch: {words}")


def test_a_custom_operator_that_is_changed():
    """What it computes does not depend on its attributes as far as anyone can tell who runs the model."""
    text = "g (float[2] x) => (float[2] y) { a = com.example.Custom<alpha=0.5>(x) y = Neg(a) }"
    body = [helper.make_node("Abs", ["x"], ["y"])]
    imports = [helper.make_opsetid("", 17)]
    custom = helper.make_function("com.example", "Custom", ["x"], ["y"], body, imports, ["alpha"])
    proto = model(text, opset=17, domains={"com.example": 1})
    random = RandomModel(proto, [{"x": X[0, :2]}], True, definitions=[custom])

    assert found(correct, random) == ""
    assert "plainly: Mismatch: custom operators" in found(also(without_attributes), random)


def test_an_error_of_the_simplifier():
    def fails(proto, **options):
        raise KeyError("x")

    assert found(fails) == "plainly: KeyError: 'x'"


def test_a_second_run_that_changes_something():
    fault = found(also(one_more_node))

    assert fault == "again: Mismatch: {} became {':Sum/1/1': 1}"


def test_a_second_run_that_changes_the_model_it_is_given():
    """Its result is what became of its input, so that the two alone would look the same."""
    runs = []

    def spoils(proto, **options):
        runs.append(1)
        if len(runs) != 2:
            return correct(proto)
        one_more_node(proto)
        return proto

    assert found(spoils) == "again: Mismatch: the caller's model was changed"


def test_what_depends_on_a_name():
    named = also(other_operator, when=lambda proto, options: "c" in made_by(proto, "Add")[0].output)

    assert found(named) == "renamed: Mismatch: {':Mul/2/1': 1} became {':Add/2/1': 1}"


def test_what_is_wrong_for_special_numbers():
    assert check(case(), also(wrong_for_nan))
    assert found(also(wrong_for_nan), seed=3).startswith("with special numbers: Mismatch: feeds 0, output y: ")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (wrong_numbers, "feeds 0, output y: 7 of 12 elements"),
        (without_last_output, "outputs ['y']"),
        (unknown_operator, "onnx's checker refuses the simplified model"),
    ],
)
def test_what_is_wrong_when_sizes_are_given(fault, words):
    sized = also(fault, when=lambda proto, options: options.get("overwrite_input_shapes") == {"x": [2, 6], "i": [2]})

    assert found(sized).startswith(f"with sizes given: Mismatch: {words}")


def test_a_model_that_is_changed_when_sizes_are_given():
    """What was changed computes the same as what came of it."""

    def spoils(proto, overwrite_input_shapes=None, **options):
        if not overwrite_input_shapes:
            return correct(proto)
        wrong_numbers(proto)
        return proto

    assert found(spoils) == "with sizes given: Mismatch: the caller's model was changed"


@pytest.mark.parametrize("seed", range(len(OPTIONS)))
@pytest.mark.parametrize(
    ("fault", "words"),
    [(wrong_numbers, "feeds 0, output y: 7 of 12 elements"), (without_last_output, "outputs ['y']")],
)
def test_what_is_wrong_with_an_option(seed, fault, words):
    wrong = also(fault, when=lambda proto, options: options == OPTIONS[seed])

    assert found(wrong, seed=seed).startswith(f"with {OPTIONS[seed]}: Mismatch: {words}")
    assert found(wrong, seed=seed + 1) == ""


@pytest.mark.parametrize("when", ["plainly", f"with {OPTIONS[0]}"])
def test_a_callers_model_that_is_changed(when):
    def spoils(proto, **options):
        if when == "plainly" or options == OPTIONS[0]:
            proto.graph.doc_string = "spoilt"
        return correct(proto)

    assert found(spoils) == f"{when}: Mismatch: the caller's model was changed"


# --- what is no fault --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("behind", ["y = Identity(p)", "y = Relu(p)"])
def test_sizes_that_onnx_infers_otherwise_than_they_are(behind):
    """A last window of 1 would begin in the padding, which onnx counts before operator set 22 and nobody computes."""
    pool = "p = MaxPool<ceil_mode=1, kernel_shape=[1,1], strides=[1,2]>(x)"
    text = f"g (float[n,1,4,4] x) => (float[n,1,h,w] y) {{ {pool} {behind} }}"
    random = RandomModel(model(text, opset=17), [{"x": np.ones((2, 1, 4, 4), np.float32)}], True, {"x": [2, 1, 4, 4]})

    def states_sizes(proto, **options):
        result = copied(proto)
        result.graph.value_info.append(helper.make_tensor_value_info("p", onnx.TensorProto.FLOAT, ["n", 1, 4, 2]))
        return result

    with pytest.raises(onnx.shape_inference.InferenceError):
        onnx.checker.check_model(states_sizes(random.model), full_check=True)
    assert found(states_sizes, random) == ""
