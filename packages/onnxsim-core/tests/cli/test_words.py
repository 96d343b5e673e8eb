import argparse

import pytest

from onnxsim_core.cli.main import build_parser
from onnxsim_core.cli.parser import wanted_paths
from onnxsim_core.cli.words import arrange, is_integer


def arranged(line):
    parser = build_parser()
    return " ".join(arrange(line.split(), parser._option_string_actions, parser.looks, wanted_paths))


@pytest.mark.parametrize(("line", "expected"), [
    ("a.onnx b.onnx 3", "-- a.onnx b.onnx 3"),
    ("3 a.onnx b.onnx", "-- 3 a.onnx b.onnx"),
    ("a.onnx b.onnx -1", "-- a.onnx b.onnx -1"),
    ("a.onnx -q b.onnx", "-q -- a.onnx b.onnx"),
    ("a.onnx b.onnx -- --odd", "-- a.onnx b.onnx --odd"),
    ("- b.onnx", "-- - b.onnx"),
])
def test_words_that_stand_for_themselves_keep_their_order(line, expected):
    assert arranged(line) == expected


@pytest.mark.parametrize(("line", "expected"), [
    ("--skip-optimization a.onnx b.onnx", "--skip-optimization -- a.onnx b.onnx"),
    ("--skip-optimization nop a.onnx b.onnx 3", "--skip-optimization nop -- a.onnx b.onnx 3"),
    ("a.onnx b.onnx --skip-optimization nop other 3", "--skip-optimization nop other -- a.onnx b.onnx 3"),
    ("--overwrite-input-shape x:1,3 a.onnx b.onnx", "--overwrite-input-shape x:1,3 -- a.onnx b.onnx"),
    ("a.onnx b.onnx --overwrite-input-shape 1,3 y:0:2 3", "--overwrite-input-shape 1,3 y:0:2 -- a.onnx b.onnx 3"),
    ("--overwrite-input-shape 5 a.onnx b.onnx", "--overwrite-input-shape 5 -- a.onnx b.onnx"),
    ("--input-data-path x:x.npy a.onnx b.onnx", "--input-data-path x:x.npy -- a.onnx b.onnx"),
    ("--providers CPUExecutionProvider a.onnx b.onnx", "--providers CPUExecutionProvider -- a.onnx b.onnx"),
    ("--check-rtol 1e-3 a.onnx b.onnx", "--check-rtol 1e-3 -- a.onnx b.onnx"),
])
def test_an_option_takes_only_what_looks_like_its_value(line, expected):
    assert arranged(line) == expected


@pytest.mark.parametrize(("line", "expected"), [
    ("--skip-optimization in out", "--skip-optimization -- in out"),
    ("--skip-optimization nop in out", "--skip-optimization nop -- in out"),
    ("--unused-output y in out", "--unused-output y -- in out"),
    ("--unused-output y in out 3", "--unused-output y -- in out 3"),
    ("in out --unused-output y 3", "--unused-output y 3 -- in out"),
    ("--profile in out", "--profile -- in out"),
    ("in --profile out", "--profile -- in out"),
    ("--profile t.json in out", "--profile t.json -- in out"),
])
def test_an_option_gives_back_the_models_that_are_missing(line, expected):
    assert arranged(line) == expected


@pytest.mark.parametrize(("line", "expected"), [
    ("a.onnx b.onnx --no-large-tensor", "--no-large-tensor -- a.onnx b.onnx"),
    ("a.onnx b.onnx --no-large-tensor 10KB", "--no-large-tensor 10KB -- a.onnx b.onnx"),
    ("--no-large-tensor a.onnx b.onnx", "--no-large-tensor -- a.onnx b.onnx"),
    ("a.onnx b.onnx --no-large-tensor 3", "--no-large-tensor -- a.onnx b.onnx 3"),
    ("a.onnx b.onnx 3 --no-large-tensor 512", "--no-large-tensor 512 -- a.onnx b.onnx 3"),
    ("a.onnx b.onnx --no-large-tensor=512", "--no-large-tensor=512 -- a.onnx b.onnx"),
])
def test_a_lone_number_is_the_number_of_comparisons(line, expected):
    assert arranged(line) == expected


def test_with_a_folder_one_model_is_enough():
    assert arranged("--skip-optimization one two -o out") == "--skip-optimization one -o out -- two"


def test_an_unknown_option_takes_nothing():
    assert arranged("--new a.onnx b.onnx") == "--new -- a.onnx b.onnx"


def test_options_of_a_fixed_number_take_that_many():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pair", nargs=2)
    words = ["--pair", "a", "b", "c"]

    assert arrange(words, parser._option_string_actions, {}, lambda options: 1) == ["--pair", "a", "b", "--", "c"]


def test_integers():
    assert is_integer("3") and is_integer("-3") and not is_integer("3.0") and not is_integer("x")
