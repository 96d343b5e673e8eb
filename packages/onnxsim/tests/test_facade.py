"""The facade: lazy, complete, and helpful about what is not installed."""

import ast
import importlib
import importlib.machinery
import subprocess
import sys
from pathlib import Path

import pytest

import onnxsim
import onnxsim_core
from onnxsim._names import MODULES, NAMES, SIBLINGS, Source, available, installed, source_of


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


# Every name that a script written for an earlier release may use from a distribution of its own.
EARLIER = """export_mlir export_transformers_model export_tflite export_detectron_model export_sam2_model
    export_diffusion_model export_coreml export_drivetransformer_model apply_qat apply_block_finetune
    load_huggingface_calibration_data apply_block_finetune_all_blocks run_litert ranges quantize_weight_only_int4
    qat_interop legalize_for_vitisai interval export_edgetpu einsum_decompose edgetpu_setup_hint check_vitisai_support
    check_onnx_for_edgetpu certify apply_pruning_finetune apply_adaround""".split()
HERE = """simplify profile_plot import_safetensors import_onnx_schemas import_gguf export_safetensors export_gguf backend
    __version__""".split()


@pytest.mark.parametrize("name", HERE)
def test_names_of_installed_distributions_resolve(name):
    assert getattr(onnxsim, name) is not None


@pytest.mark.parametrize("name", sorted({*EARLIER, *(name for names in SIBLINGS.values() for name in names)}))
def test_a_name_of_a_sibling_that_is_missing_says_which(name):
    source = source_of(name)
    if installed(source):
        assert getattr(onnxsim, name) is not None
        return
    with pytest.raises(ModuleNotFoundError, match=f"onnxsim.{name} comes with {source.distribution}") as caught:
        getattr(onnxsim, name)
    assert f"pip install '{source.distribution}'" in str(caught.value)
    assert name not in available() and name not in dir(onnxsim)


def test_siblings_bring_names_when_they_are_there(monkeypatch):
    far = type(sys)("onnxsim_far")
    far.__spec__ = importlib.machinery.ModuleSpec("onnxsim_far", None)
    far.reach = object()
    inner = type(sys)("onnxsim_far.away")
    monkeypatch.setitem(sys.modules, "onnxsim_far", far)
    monkeypatch.setitem(sys.modules, "onnxsim_far.away", inner)
    monkeypatch.setitem(SIBLINGS, "onnxsim-far", ("reach", "away"))
    monkeypatch.setattr("onnxsim._names.MODULES", MODULES | {"away"})

    assert onnxsim.reach is far.reach and onnxsim.away is inner
    assert {"reach", "away"} <= available()
    del onnxsim.reach, onnxsim.away


def test_no_name_has_two_homes():
    names = [*NAMES, *(name for names in SIBLINGS.values() for name in names)]

    assert len(names) == len(set(names)) and set(names) >= MODULES
