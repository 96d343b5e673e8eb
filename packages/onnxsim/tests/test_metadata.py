"""What the installed distribution says about itself."""

import importlib.metadata

import onnxsim

METADATA = importlib.metadata.metadata("onnxsim")
REQUIRES = importlib.metadata.requires("onnxsim")


def test_the_version_is_stated_once():
    assert importlib.metadata.version("onnxsim") == onnxsim.__version__


def test_it_needs_the_core_and_nothing_else():
    assert [requirement for requirement in REQUIRES if "extra ==" not in requirement] == ["onnxsim-core<0.10,>=0.9"]


def test_the_command_belongs_to_the_core():
    scripts = importlib.metadata.entry_points(group="console_scripts", name="onnxsim")

    assert {script.dist.name for script in scripts} == {"onnxsim-core"}


def test_all_collects_every_other_extra():
    by_extra = {extra: [] for extra in METADATA.get_all("Provides-Extra")}
    for requirement in REQUIRES:
        wanted, found, extra = requirement.partition("; extra == ")
        if found:
            by_extra[extra.strip("'")].append(wanted)

    collected = by_extra.pop("all")
    assert sorted(collected) == sorted(wanted for extra in by_extra.values() for wanted in extra)
