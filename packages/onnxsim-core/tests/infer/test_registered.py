"""Schemas that users register with onnx are told from its own, and counted once."""

from collections.abc import Callable, Iterator

import pytest
from onnx import defs

from onnxsim_core.infer import registered
from onnxsim_core.infer.registered import import_onnx_schemas, is_registered, key_of

DOMAIN = "test.registered"


@pytest.fixture(autouse=True)
def known(monkeypatch) -> set[registered.Key]:
    """What is known of at the start: all that other tests left registered."""
    found = {key_of(s) for s in defs.get_all_schemas_with_history() if is_registered(s)}
    monkeypatch.setattr(registered, "KNOWN", found)
    return found


@pytest.fixture
def register() -> Iterator[Callable[[str, int], defs.OpSchema]]:
    made = []

    def add(name: str, version: int) -> defs.OpSchema:
        schema = defs.OpSchema(name, DOMAIN, version)
        defs.register_schema(schema)
        made.append((name, version))
        return schema

    yield add
    for name, version in made:
        defs.deregister_schema(name, version, DOMAIN)


def test_onnx_s_own_schemas_are_not_registered_ones():
    assert not is_registered(defs.get_schema("Relu", 21)) and not is_registered(defs.get_schema("Scaler", 1, "ai.onnx.ml"))
    assert import_onnx_schemas() == 0


def test_each_version_counts_once(register, known):
    schema = register("Op", 1)
    assert is_registered(defs.get_schema("Op", 1, DOMAIN)) and key_of(schema) == (DOMAIN, "Op", 1)
    assert import_onnx_schemas() == 1 and (DOMAIN, "Op", 1) in known
    assert import_onnx_schemas() == 0
    register("Op", 3)
    register("Other", 1)
    assert import_onnx_schemas() == 2
    assert {key for key in known if key[0] == DOMAIN} == {(DOMAIN, "Op", 1), (DOMAIN, "Op", 3), (DOMAIN, "Other", 1)}


def test_a_schema_of_a_standard_name_counts_too(register):
    register("Relu", 1)
    assert import_onnx_schemas() == 1
