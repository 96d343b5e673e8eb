"""Modules of other distributions under the names they had below `onnxsim`."""

import importlib
import sys
from importlib.util import find_spec

import pytest

import onnxsim
from onnxsim._names import MODULES
from onnxsim._submodules import Finder, install


@pytest.fixture
def sibling(tmp_path, monkeypatch):
    """A stand-in for onnxsim-ranges."""
    (tmp_path / "onnxsim_ranges").mkdir()
    (tmp_path / "onnxsim_ranges" / "__init__.py").write_text("")
    (tmp_path / "onnxsim_ranges" / "_own.py").write_text("LIMIT = 7\n")
    (tmp_path / "onnxsim_ranges" / "ranges.py").write_text("from ._own import LIMIT\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "ranges" in name:
            del sys.modules[name]
    vars(onnxsim).pop("ranges", None)


def test_a_module_is_the_one_of_its_distribution(sibling):
    found = importlib.import_module("onnxsim.ranges")

    assert found.LIMIT == 7 and found is importlib.import_module("onnxsim_ranges.ranges") is onnxsim.ranges
    assert found.__name__ == found.__spec__.name == "onnxsim_ranges.ranges"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_one_that_is_not_installed_says_what_to_install(name):
    with pytest.raises(ModuleNotFoundError, match=rf"onnxsim\.{name} comes with .*pip install 'onnxsim-"):
        importlib.import_module(f"onnxsim.{name}")


def test_other_modules_are_found_or_not_as_ever():
    assert find_spec("onnxsim.no_such_module") is None
    assert find_spec("onnxsim.backend").origin.endswith("backend.py")
    assert Finder.find_spec("other.ranges", None) is None


def test_it_is_asked_once():
    install()

    assert sys.meta_path.count(Finder) == 1
