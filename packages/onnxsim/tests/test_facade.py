"""The facade: lazy, complete, and helpful about what is not installed."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import onnxsim
import onnxsim_core
from onnxsim._names import NAMES, Source, installed


def python(code):
    """Run a program in an interpreter that has imported nothing yet; gives what it prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_it_imports_neither_onnx_nor_the_engine():
    loaded = python("import sys, onnxsim, onnxsim._names; print(*sys.modules, sep='\\n')").split("\n")

    assert "onnxsim" in loaded
    assert not [name for name in loaded if name.split(".")[0] in ("onnx", "numpy", "onnxsim_core")]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_what_the_table_says(name):
    source = NAMES[name]
    module = importlib.import_module(source.module)

    assert getattr(onnxsim, name) is (getattr(module, source.attribute) if source.attribute else module)


def test_every_public_name_of_the_core_is_offered():
    assert {*onnxsim_core.__all__} - {"__version__"} <= {*NAMES}


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(onnxsim.__file__).read_text(encoding="utf-8"))
    (guard,) = (node for node in tree.body if isinstance(node, ast.If))
    declared = {}
    for statement in guard.body:
        for alias in statement.names:
            assert alias.asname == alias.name  # a plain import would not be re-exported
            declared[alias.name] = statement.module

    expected = {name: s.module.removeprefix("onnxsim.") if s.attribute else None for name, s in NAMES.items()}
    assert declared == expected


def test_a_name_is_looked_up_once(monkeypatch):
    first = onnxsim.simplify
    monkeypatch.setattr(onnxsim_core, "simplify", None, raising=False)

    assert onnxsim.simplify is first


def test_dir_lists_what_is_installed(monkeypatch):
    monkeypatch.setitem(NAMES, "far_away", Source("onnxsim_far.api", "far_away", "onnxsim-far", "far"))

    assert {"simplify", "main", "onnx_simplifier", "__version__"} <= {*dir(onnxsim)}
    assert "far_away" not in dir(onnxsim)


@pytest.mark.parametrize(("extra", "wanted"), [("far", "onnxsim[far]"), ("", "onnxsim-far")])
def test_a_name_whose_distribution_is_missing_says_what_to_install(monkeypatch, extra, wanted):
    source = Source("onnxsim_far.api", "far_away", "onnxsim-far", extra)
    monkeypatch.setitem(NAMES, "far_away", source)

    assert not installed(source)
    with pytest.raises(ModuleNotFoundError) as caught:
        onnxsim.far_away  # noqa: B018
    assert str(caught.value) == (
        f"onnxsim.far_away comes with onnxsim-far, which is not installed: pip install '{wanted}'"
    )
    assert caught.value.name == "onnxsim_far"


def test_a_module_that_an_installed_distribution_misses_is_its_own_error(monkeypatch):
    monkeypatch.setitem(NAMES, "broken", Source("onnxsim_core.no_such_module", "", "onnxsim-core"))

    with pytest.raises(ModuleNotFoundError, match="No module named 'onnxsim_core.no_such_module'"):
        onnxsim.broken  # noqa: B018


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'onnxsim' has no attribute 'simplyfy'"):
        onnxsim.simplyfy  # noqa: B018


def test_old_import_paths_give_the_same_function():
    from onnxsim.onnx_simplifier import simplify

    assert simplify is onnxsim.simplify is onnxsim_core.simplify
