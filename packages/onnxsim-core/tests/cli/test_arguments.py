import argparse

import pytest

from onnxsim_core.cli import arguments


@pytest.mark.parametrize(("text", "expected"), [
    ("x:1,3,224", ("x", [1, 3, 224])),
    ("1,3", (None, [1, 3])),
    ("a:b:2,-1", ("a:b", [2, -1])),
    ("x:", ("x", [])),
    ("x:0", ("x", [0])),
    ("2,", (None, [2])),
])
def test_input_shapes(text, expected):
    assert arguments.input_shape(text) == expected


@pytest.mark.parametrize("text", ["x:a", "x", "x:1,,2", "1.5", "", "x:1;2"])
def test_what_is_no_input_shape(text):
    with pytest.raises(argparse.ArgumentTypeError, match="NAME:1,3,224,224"):
        arguments.input_shape(text)


@pytest.mark.parametrize(("text", "expected"), [
    ("x:data.npy", ("x", "data.npy")),
    ("a:b:data.bin", ("a:b", "data.bin")),
    ("all.npz", (None, "all.npz")),
    ("x:C:\\data.npy", ("x", "C:\\data.npy")),
    ("x:/tmp/data.npy", ("x", "/tmp/data.npy")),
])
def test_data_files(text, expected):
    assert arguments.data_file(text) == expected


@pytest.mark.parametrize("text", ["data.npy", "/tmp/data.bin", ":data.npy"])
def test_a_data_file_needs_a_name(text):
    with pytest.raises(argparse.ArgumentTypeError, match="NAME:FILE"):
        arguments.data_file(text)


@pytest.mark.parametrize(("text", "expected"), [("512", 512), ("10KB", 10240), ("1.5 MiB", 3 << 19), ("1g", 1 << 30)])
def test_sizes(text, expected):
    assert arguments.size(text) == expected


@pytest.mark.parametrize("text", ["", "x", "1X", "-1"])
def test_what_is_no_size(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a size"):
        arguments.size(text)


def test_counts_and_tolerances():
    assert arguments.count("0") == 0
    assert arguments.tolerance("1e-3") == 1e-3
    for text in ("-1", "x", "1.5"):
        with pytest.raises(argparse.ArgumentTypeError):
            arguments.count(text)
    for text in ("-1", "x", "nan"):
        with pytest.raises(argparse.ArgumentTypeError):
            arguments.tolerance(text)


@pytest.mark.parametrize(("looks", "yes", "no"), [
    (arguments.looks_like_shape, ("x:1,2", "1,2", "a:b:3"), ("model.onnx", "3", "x:y")),
    (arguments.looks_like_name, ("fuse_bn_into_conv",), ("a.onnx", "3", "./a", "a/b")),
    (arguments.looks_like_data_file, ("x:a.npy", "a.npz"), ("a.onnx",)),
    (arguments.looks_like_size, ("3", "10KB", "1.5GiB"), ("a.onnx", "x")),
    (arguments.looks_like_trace, ("p.json", "trace"), ("a.onnx", "A.ONNX")),
    (arguments.looks_like_png, ("a.png",), ("a.onnx",)),
    (arguments.looks_like_anything, ("3", "a"), ()),
])
def test_values_are_told_from_models(looks, yes, no):
    assert all(map(looks, yes)) and not any(map(looks, no))
