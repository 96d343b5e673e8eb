import importlib.metadata

import pytest
from rewriting import withdraw

from onnxsim_core.errors import PluginError
from onnxsim_core.passes import catalog
from onnxsim_core.plugins import CliHost, Format, FormatHost, PassHost, TargetHost, load
from onnxsim_core.rewrite.rule import RULES, skip


class Entry:
    def __init__(self, name, register):
        self.name, self.value, self.register = name, f"{name}:register", register

    def load(self):
        if isinstance(self.register, Exception):
            raise self.register
        return self.register


@pytest.fixture
def entries(monkeypatch):
    found = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found if group == "onnxsim.targets" else [])
    return found


def test_plugins_register_in_order_of_their_names(entries):
    host = TargetHost()
    entries += [Entry("b", lambda given: given.add("two", 2)), Entry("a", lambda given: given.add("one", 1))]

    assert load("onnxsim.targets", host, pytest.fail) == ["a", "b"]
    assert host.targets == {"one": 1, "two": 2}


def test_a_broken_plugin_is_one_line_and_the_rest_is_loaded(entries):
    def failing(host):
        raise RuntimeError("line\nand another")

    said = []
    entries += [Entry("a", ImportError("no libtpu")), Entry("b", failing), Entry("c", lambda host: None),
                Entry("d", ValueError())]

    assert load("onnxsim.targets", TargetHost(), said.append) == ["c"]
    assert said == ["plugin a (a:register) is left out: ImportError: no libtpu",
                    "plugin b (b:register) is left out: RuntimeError: line and another",
                    "plugin d (d:register) is left out: ValueError: no reason given"]


def test_there_are_four_groups():
    with pytest.raises(PluginError, match=r"no plugin group 'onnxsim.odd' \(the groups are onnxsim.cli, "):
        load("onnxsim.odd", None, pytest.fail)


def test_the_longest_suffix_decides_about_a_format():
    host = FormatHost()
    host.add(Format("tensors", ".Box", read=lambda path: "tensors"))
    host.add(Format("models", ".onnx.box", read=lambda path: "models", write=lambda model, path: None))

    assert host.reader("a.BOX")("") == "tensors" and host.reader("a.onnx.box")("") == "models"
    assert host.writer("a.onnx.box") is not None
    assert host.reader("a.onnx") is host.writer("a.onnx") is None
    with pytest.raises(PluginError, match=r"a\.box: \.Box files cannot be written"):
        host.writer("a.box")
    with pytest.raises(PluginError, match="are read by tensors already"):
        host.add(Format("other", ".box"))


def test_a_format_that_cannot_be_read():
    host = FormatHost()
    host.add(Format("out", ".out", write=lambda model, path: None))

    with pytest.raises(PluginError, match="cannot be read"):
        host.reader("a.out")


@pytest.mark.parametrize("path", ["a.safetensors", "a.onnx.safetensors", "A.GGUF"])
def test_a_format_of_an_absent_package_says_what_to_install(path):
    with pytest.raises(PluginError, match=r"need onnxsim-archives, which is not installed \(pip install onnxsim-arch"):
        FormatHost().reader(path)


def test_passes_of_a_plugin_are_in_the_catalogue():
    host = PassHost()
    host.declare("eliminate_test_only", "for this test")
    try:
        @host.rewrites("eliminate_test_only", root="Odd", domain="odd")
        def never(node, op):
            return skip("is never wanted")

        chosen = catalog.select(optimize=True, skipped=frozenset(), extra=("eliminate_test_only",))

        assert "eliminate_test_only" in chosen
        assert [rule.name for rule in RULES["eliminate_test_only"]] == ["never"]
        assert "eliminate_test_only" not in catalog.select(optimize=True, skipped=frozenset(), extra=())
    finally:
        withdraw("eliminate_test_only")


def test_a_target_has_one_name():
    host = TargetHost()
    host.add("tflite", object())
    with pytest.raises(PluginError, match="registered twice"):
        host.add("tflite", object())


def test_commands_have_one_name():
    host = CliHost(None)
    host.command("quantize", lambda words: 0)

    for name in ("quantize", "inspect"):
        with pytest.raises(PluginError, match="registered twice"):
            host.command(name, lambda words: 0)
