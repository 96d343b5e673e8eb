import numpy as np
import onnx
import pytest
from cli.running import onnxsim
from onnx import numpy_helper

from onnxsim_core.cli.input_data import load_inputs
from onnxsim_core.errors import OptionError
from onnxsim_testkit import model

X = np.arange(6, dtype=np.float32).reshape(2, 3)
SOURCE = model("g (float[n,3] x, int64[2] i) => (float[n,3] y) { y = Identity(x) j = Identity(i) }").SerializeToString()


def load(*files, shapes=None):
    return load_inputs([(name, str(path)) for name, path in files], SOURCE, shapes or {})


def test_npy_npz_and_pb(tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "all.npz", x=X, i=np.array([1, 2]))
    (tmp_path / "x.pb").write_bytes(numpy_helper.from_array(X).SerializeToString())

    np.testing.assert_array_equal(load(("x", tmp_path / "x.npy"))["x"], X)
    np.testing.assert_array_equal(load(("x", tmp_path / "x.pb"))["x"], X)
    assert load(("x", tmp_path / "all.npz")).keys() == {"x"}
    both = load((None, tmp_path / "all.npz"))
    np.testing.assert_array_equal(both["x"], X)
    np.testing.assert_array_equal(both["i"], [1, 2])


def test_an_archive_of_one_array_needs_no_matching_name(tmp_path):
    np.savez(tmp_path / "one.npz", X)

    np.testing.assert_array_equal(load(("x", tmp_path / "one.npz"))["x"], X)


def test_raw_bytes_have_the_type_of_the_input_and_fill_its_open_size(tmp_path):
    (tmp_path / "x.bin").write_bytes(X.tobytes())
    (tmp_path / "i").write_bytes(np.array([5, 6], np.int64).tobytes())

    found = load(("x", tmp_path / "x.bin"), ("i", tmp_path / "i"))

    np.testing.assert_array_equal(found["x"], X)
    np.testing.assert_array_equal(found["i"], np.array([5, 6]))
    assert found["x"].dtype == np.float32 and found["i"].dtype == np.int64


def test_raw_bytes_take_a_given_shape(tmp_path):
    (tmp_path / "x.bin").write_bytes(X.tobytes())

    assert load(("x", tmp_path / "x.bin"), shapes={"x": [2, -1]})["x"].shape == (2, 3)


@pytest.mark.parametrize(("name", "file", "content", "part"), [
    ("x", "x.npy", None, "there is no such file"),
    ("x", "x.npy", b"no array", "cannot be read as .npy"),
    ("x", "x.npz", b"no archive", "cannot be read as .npz"),
    ("x", "x.pb", b"\xff\xff\xff", "holds no tensor"),
    ("z", "x.bin", b"1234", "no input called 'z'"),
    ("x", "x.bin", b"123", "no whole number of FLOAT elements"),
    ("x", "x.bin", b"12345678", "2 elements do not fill input 'x'"),
    ("i", "x.bin", b"12345678", "1 elements do not fill input 'i'"),
])
def test_what_cannot_be_loaded(tmp_path, name, file, content, part):
    if content is not None:
        (tmp_path / file).write_bytes(content)

    with pytest.raises(OptionError, match=part):
        load((name, tmp_path / file))


def test_sizes_are_written_as_in_the_model(tmp_path):
    (tmp_path / "x.bin").write_bytes(X.tobytes())
    source = model("g (float[n,m] x) => (float[n,m] y) { y = Relu(x) }").SerializeToString()

    with pytest.raises(OptionError, match=r"6 elements do not fill input 'x' of shape \[n, m\]"):
        load_inputs([("x", str(tmp_path / "x.bin"))], source, {})


def test_text_inputs_cannot_be_raw(tmp_path):
    (tmp_path / "s.bin").write_bytes(b"abc")
    source = model("g (string[1] s) => (string[1] t) { t = Identity(s) }").SerializeToString()

    with pytest.raises(OptionError, match=r"cannot be given as raw bytes.*use a \.npy or \.pb"):
        load_inputs([("s", str(tmp_path / "s.bin"))], source, {})


def test_an_archive_without_the_array_and_an_input_given_twice(tmp_path):
    np.savez(tmp_path / "all.npz", a=X, b=X)
    np.save(tmp_path / "x.npy", X)

    with pytest.raises(OptionError, match=r"no array called 'x' \(it has a, b\)"):
        load(("x", tmp_path / "all.npz"))
    with pytest.raises(OptionError, match="input 'x' is given twice"):
        load(("x", tmp_path / "x.npy"), ("x", tmp_path / "x.npy"))


def test_the_command_compares_with_the_given_data(tmp_path):
    """Division by zero that is only seen with the given data: 0/0 in both models, so they are equal."""
    source = tmp_path / "m.onnx"
    onnx.save(model("g (float[n,3] x) => (float[n,3] y) { t = Identity(x) y = Div(t, x) }"), source)
    np.save(tmp_path / "x.npy", np.zeros((5, 3), np.float32))

    ran = onnxsim(source, tmp_path / "o.onnx", 1, "--input-data-path", f"x:{tmp_path / 'x.npy'}", "--json")

    assert (ran.code, ran.json()["check"]["ok"]) == (0, True)
