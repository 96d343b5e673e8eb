import importlib.metadata

import pytest

from onnxsim_core.cli.extensions import extend, formats, load_passes
from onnxsim_core.cli.main import build_parser
from onnxsim_core.plugins import Format


class Entry:
    def __init__(self, register):
        self.name, self.value, self.register = "one", "one:register", register

    def load(self):
        return self.register


@pytest.fixture
def plugins(monkeypatch):
    """Plugins by group."""
    found = {}
    monkeypatch.setattr(importlib.metadata, "entry_points",
                        lambda group: [Entry(found[group])] if group in found else [])
    return found


def test_options_of_a_plugin_are_parsed(plugins):
    plugins["onnxsim.cli"] = lambda host: host.group("one").add_argument("--one")
    parser = build_parser()
    extend(parser)

    assert parser.parse(["a", "b", "--one", "1"]).one == "1"


def test_a_broken_plugin_is_one_warning(plugins, capsys):
    def broken(host):
        raise ImportError("no such\nlibrary")

    plugins["onnxsim.cli"] = broken
    extend(build_parser())

    assert capsys.readouterr().err == (
        "onnxsim: warning: plugin one (one:register) is left out: ImportError: no such library\n")


def test_formats_and_passes_are_loaded_unless_plugins_are_off(plugins):
    turns = []
    plugins["onnxsim.formats"] = lambda host: host.add(Format("one", ".one"))
    plugins["onnxsim.passes"] = lambda host: turns.append(host)

    assert list(formats(with_plugins=True).formats) == [".one"]
    assert list(formats(with_plugins=False).formats) == []
    load_passes(with_plugins=False)
    assert turns == []
    load_passes(with_plugins=True)
    assert len(turns) == 1
