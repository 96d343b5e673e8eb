"""One test for every kind of damage a file can have: the outcome is a model or an error that names the fault."""

import os
import shutil

import numpy as np
import onnx
import pytest

from onnxsim_core import ModelError, OnnxsimError, simplify
from onnxsim_testkit import model

TEXT = """<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
    g (float[n,4] x, bool c) => (float[] y, float[] z) <float[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}, int64[2] k = {0,-1}> {
        a = MatMul(x, w) b = Identity(a)
        y = If(c) <then_branch = t () => (float[] p) { p = Neg(b) }, else_branch = e () => (float[] q) { q = Abs(b) }>
        r = Reshape(b, k) z = Transpose<perm = [1, 0]>(r) }"""


def damaged(edit):
    proto = model(TEXT)
    edit(proto)
    return proto.SerializeToString()


def outcome(data):
    """`model`, or the text of the error."""
    try:
        simplify(data).model.SerializeToString()
    except OnnxsimError as error:
        return str(error)
    return "model"


# --- bytes -------------------------------------------------------------------------------------------------------------
def test_every_bit_flipped():
    data = damaged(lambda proto: None)
    found = set()
    for at in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            found.add(outcome(bytes(changed)) == "model")
    assert found == {True, False}


def test_every_beginning():
    data = damaged(lambda proto: None)
    for end in range(len(data)):
        assert outcome(data[:end])


@pytest.mark.parametrize("span", [1, 7, 40])
def test_every_span_cut_out(span):
    data = damaged(lambda proto: None)
    for at in range(0, len(data) - span, 3):
        assert outcome(data[:at] + data[at + span :])


@pytest.mark.parametrize("length", [b"\x00", b"\x7f", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\x80" * 12])
def test_every_byte_a_wrong_length(length):
    data = damaged(lambda proto: None)
    for at in range(0, len(data), 2):
        assert outcome(data[:at] + length + data[at + 1 :])


# --- numbers -----------------------------------------------------------------------------------------------------------
NUMBERS = [-(2**63), -1, 2**31, 10**12, 2**63 - 1]


@pytest.mark.parametrize("number", NUMBERS)
def test_dims_of_a_constant(number):
    found = outcome(damaged(lambda proto: proto.graph.initializer[0].dims.__setitem__(0, number)))
    assert ("negative dims" in found) if number < 0 else found


def test_more_dims_than_memory():
    assert outcome(damaged(lambda proto: proto.graph.initializer[0].dims.extend([10**6] * 40)))
    assert outcome(damaged(lambda proto: proto.graph.initializer[0].dims.extend([1] * 100_000)))
    assert "takes 0 bytes but has 64" in outcome(
        damaged(lambda proto: proto.graph.initializer[0].dims.extend([0, 2**62, 2**62]))
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_declared_sizes(number):
    def edit(proto):
        proto.graph.input[0].type.tensor_type.shape.dim[1].dim_value = number

    assert outcome(damaged(edit)) == "model"


@pytest.mark.parametrize("number", NUMBERS)
def test_axes_and_targets(number):
    def edit(proto):
        proto.graph.node[-1].attribute[0].ints[0] = number
        proto.graph.initializer[1].CopyFrom(onnx.numpy_helper.from_array(np.array([0, number]), "k"))

    assert outcome(damaged(edit)) == "model"


@pytest.mark.parametrize("number", [-1, 0, 99, 2**31 - 1])
def test_unknown_types(number):
    def constant(proto):
        proto.graph.initializer[0].data_type = number

    def declared(proto):
        proto.graph.input[0].type.tensor_type.elem_type = number

    assert "has no fixed width" in outcome(damaged(constant))
    assert outcome(damaged(declared)) == "model"


def test_unknown_kinds_of_attributes_and_places():
    def attribute(proto):
        found = proto.graph.node[-1].attribute[0]
        found.ClearField("type")
        found.MergeFromString(bytes([0xA0, 0x01, 99]))

    def place(proto):
        proto.graph.initializer[0].MergeFromString(bytes([0x70, 7]))

    assert outcome(damaged(attribute)) == outcome(damaged(place)) == "model"


# --- names -------------------------------------------------------------------------------------------------------------
def body(proto):
    return proto.graph.node[2].attribute[0].g


NAMES = {
    "a cycle": (lambda p: p.graph.node[1].input.__setitem__(0, "z"), "form a cycle"),
    "a node that reads itself": (lambda p: p.graph.node[1].input.__setitem__(0, "b"), "form a cycle"),
    "a missing input": (lambda p: p.graph.node[0].input.__setitem__(1, "nobody"), "'nobody' is used but nothing makes it"),
    "a missing input inside": (lambda p: body(p).node[0].input.__setitem__(0, "nobody"), "'nobody' is used but"),
    "a missing output": (lambda p: setattr(p.graph.output[0], "name", "nobody"), "'nobody' is used but nothing makes it"),
    "a missing output inside": (lambda p: setattr(body(p).output[0], "name", "nobody"), "'nobody' is used but nothing"),
    "two values": (lambda p: p.graph.node[1].output.__setitem__(0, "a"), "the name 'a' is given to two values"),
    "two constants": (lambda p: p.graph.initializer.add().CopyFrom(p.graph.initializer[0]), "two initializers have the"),
    "two inputs": (lambda p: p.graph.input.add().CopyFrom(p.graph.input[0]), "two graph inputs have the name 'x'"),
    "a node that makes an input": (lambda p: p.graph.node[0].output.__setitem__(0, "x"), "'x' is given to two values"),
    "a node that makes a constant": (lambda p: p.graph.node[0].output.__setitem__(0, "w"), "'w' is given to two values"),
    "two outputs": (lambda p: p.graph.output.add().CopyFrom(p.graph.output[0]), "model"),
    "two operator sets": (lambda p: p.opset_import.add(domain="", version=9), "model"),
    "two attributes": (lambda p: p.graph.node[-1].attribute.add().CopyFrom(p.graph.node[-1].attribute[0]), "model"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_that_are_missing_or_twice_there(kind):
    edit, expected = NAMES[kind]
    assert expected in outcome(damaged(edit))


def test_a_body_that_reads_what_its_owner_makes():
    assert outcome(damaged(lambda proto: body(proto).node[0].input.__setitem__(0, "y")))


# --- depth -------------------------------------------------------------------------------------------------------------
def test_types_in_types_deeper_than_protobuf_reads():
    def edit(proto):
        kind = onnx.TypeProto()
        kind.tensor_type.elem_type = 1
        for _ in range(90):
            outer = onnx.TypeProto()
            outer.sequence_type.elem_type.CopyFrom(kind)
            kind = outer
        proto.graph.value_info.add(name="a").type.CopyFrom(kind)

    assert "cannot be read" in outcome(damaged(edit))


@pytest.mark.parametrize("names", ["F", "FG", "FGH"])
def test_functions_that_call_themselves(names):
    def edit(proto):
        imports = [onnx.helper.make_opsetid("local", 1)]
        for name, called in zip(names, names[1:] + names[:1], strict=True):
            call = onnx.helper.make_node(called, ["a"], ["b"], domain="local")
            proto.functions.append(onnx.helper.make_function("local", name, ["a"], ["b"], [call], imports))
        proto.graph.node.append(onnx.helper.make_node("F", ["x"], ["f"], domain="local"))
        proto.graph.output.add(name="f")

    assert "calls itself" in outcome(damaged(edit))


# --- data elsewhere ----------------------------------------------------------------------------------------------------
WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)
GOOD = [{"location": "w.bin"}, {"location": "w.bin", "offset": "0", "length": "24"}, {"location": "inside"},
        {"location": "big.bin", "offset": "8"}]  # fmt: skip
BAD = [
    ({"location": "../secret"}, "leaves the model's folder"),
    ({"location": "a/../../secret"}, "leaves the model's folder"),
    ({"location": "{top}/secret"}, "is an absolute path"),
    ({"location": "/dev/zero"}, "is an absolute path"),
    ({"location": "outside"}, "through a symbolic link"),
    ({"location": "up/secret"}, "through a symbolic link"),
    ({"location": "fifo"}, "is not a regular file"),
    ({"location": "sub"}, "is not a regular file"),
    ({"location": "gone"}, "does not exist"),
    ({"location": ""}, "is not a file name"),
    ({}, "is not a file name"),
    ({"location": "w.bin", "offset": "24"}, "does not lie within"),
    ({"location": "w.bin", "offset": "4"}, "does not lie within"),
    ({"location": "w.bin", "offset": "1000000000000"}, "does not lie within"),
    ({"location": "w.bin", "offset": "-4"}, "does not lie within"),
    ({"location": "w.bin", "offset": "x"}, "is not a number"),
    ({"location": "w.bin", "length": "10"}, "takes 24 bytes but has 10"),
    ({"location": "w.bin", "length": "28"}, "takes 24 bytes but has 28"),
    ({"location": "w.bin", "length": "0"}, "takes 24 bytes but has 0"),
    ({"location": "w.bin", "length": "-24"}, "takes 24 bytes but has -24"),
    ({"location": "w.bin", "offset": "9223372036854775807", "length": "24"}, "does not lie within"),
]


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "folder"
    (place / "sub").mkdir(parents=True)
    (place / "w.bin").write_bytes(WEIGHT.tobytes())
    (place / "big.bin").write_bytes(bytes(8) + WEIGHT.tobytes())
    (tmp_path / "secret").write_bytes(WEIGHT.tobytes())
    (place / "inside").symlink_to("w.bin")
    (place / "outside").symlink_to(tmp_path / "secret")
    (place / "up").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(place / "fifo")
    return place


def elsewhere(folder, *places):
    """A model with a weight for each place."""
    names = [f"w{i}" for i in range(len(places))]
    products = " ".join(f"p{i} = MatMul(a, {name})" for i, name in enumerate(names))
    total = f"y = Sum({', '.join(f'p{i}' for i in range(len(places)))})"
    text = f"g (float[n,2] x) => (float[n,3] y) {{ a = Identity(x) {products} {total} }}"
    proto = model(text, initializers=dict.fromkeys(names, WEIGHT))
    for tensor, place in zip(proto.graph.initializer, places, strict=True):
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in place.items():
            tensor.external_data.add(key=key, value=value.format(top=folder.parent))
    (folder / "model.onnx").write_bytes(proto.SerializeToString())
    return folder / "model.onnx"


def contents(folder):
    files = sorted(path for path in folder.parent.rglob("*") if path.is_file() and path.name != "out.onnx")
    return {path: path.read_bytes() for path in files}


@pytest.mark.parametrize("place", GOOD)
def test_data_within_the_folder_are_read(folder, place):
    simplify(elsewhere(folder, place), output_path=folder / "out.onnx")
    (stored,) = onnx.load(folder / "out.onnx").graph.initializer
    assert np.array_equal(onnx.numpy_helper.to_array(stored), WEIGHT)


@pytest.mark.parametrize(("place", "message"), BAD)
def test_data_anywhere_else_are_refused_and_nothing_is_touched(folder, place, message):
    path = elsewhere(folder, place)
    before = contents(folder)
    with pytest.raises(ModelError, match=message):
        simplify(path, output_path=folder / "out.onnx")
    assert contents(folder) == before and not (folder / "out.onnx").exists()


def test_data_that_overlap_are_read_as_they_lie(folder):
    places = [{"location": "big.bin", "offset": "8"}, {"location": "big.bin", "offset": "4"}]
    simplify(elsewhere(folder, *places), output_path=folder / "out.onnx")
    found = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(folder / "out.onnx").graph.initializer}
    assert np.array_equal(found["w0"], WEIGHT)
    assert found["w1"].reshape(-1).tolist() == [0, 0, 1, 2, 3, 4]


def test_data_files_are_what_they_were_after_all_of_it(folder):
    before = contents(folder)
    shutil.copy(elsewhere(folder, *GOOD), folder / "copy.onnx")
    simplify(folder / "copy.onnx", output_path=folder / "out.onnx")
    assert {path: data for path, data in contents(folder).items() if path in before} == before
