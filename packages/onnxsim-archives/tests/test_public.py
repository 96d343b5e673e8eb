"""The public names: a change here is a change of the interface."""

import inspect

import pytest

import onnxsim_archives

SIGNATURES = {
    "export_safetensors": "(model, path, *, base_dir=None, progress=None)",
    "export_gguf": "(model, path, *, base_dir=None, progress=None)",
    "import_safetensors": "(path, *, refer=False)",
    "import_gguf": "(path, *, refer=False)",
    "unpack_archive": "(path, output_path, *, refer=False, external_data_threshold=None, progress=None)",
    "open_archive": "(path)",
    "import_gguf_weights": "(model, path, *, base_dir=None)",
    "read_gguf_metadata": "(path)",
}


def test_what_is_public():
    assert {*onnxsim_archives.__all__} == {*SIGNATURES, "Archive", "ArchiveError", "__version__"}
    for name in onnxsim_archives.__all__:
        assert getattr(onnxsim_archives, name)


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name):
    signature = inspect.signature(getattr(onnxsim_archives, name))
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]

    assert str(inspect.Signature(bare)) == SIGNATURES[name]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'export_zip'"):
        onnxsim_archives.export_zip  # noqa: B018
