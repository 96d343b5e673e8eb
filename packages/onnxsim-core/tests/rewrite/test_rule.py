"""Rules, their registration, and the reasons they give."""

import pytest

from onnxsim_core.passes import catalog
from onnxsim_core.passes.catalog import Pass, rules_at
from onnxsim_core.rewrite import rule as rule_module
from onnxsim_core.rewrite.rule import RULES, Rule, Skip, rewrites, skip


@pytest.fixture
def rules(monkeypatch) -> dict[str, list[Rule]]:
    """An empty register, for two passes of the names `first` and `second`."""
    fresh: dict[str, list[Rule]] = {}
    monkeypatch.setattr(rule_module, "RULES", fresh)
    roots: dict = {}
    monkeypatch.setattr(rule_module, "ROOTS", roots)
    monkeypatch.setattr(catalog, "ROOTS", roots)
    monkeypatch.setattr(catalog, "CATALOG", {name: Pass(name, "", place=place) for place, name in enumerate(("first", "second"))})
    return fresh


def test_there_is_one_skip_per_reason(monkeypatch):
    monkeypatch.setattr(Skip, "known", {})
    one = skip("too large")
    assert skip("too " + "large") is one and skip("other") is not one
    assert one.reason == "too large" and list(Skip.known) == ["too large", "other"]
    assert repr(one) == "Skip('too large')"


def test_the_decorator_registers_and_gives_the_function_back(rules):
    def drop(node, op):
        return skip("never")

    assert rewrites("first", root=("Relu", "Neg"), domain="acme", since=9)(drop) is drop
    assert rewrites("first", root="Abs")(drop) is drop
    wide, plain = rules["first"]
    assert (wide.name, wide.pass_name, wide.roots, wide.domain, wide.since) == ("drop", "first", ("Relu", "Neg"), "acme", 9)
    assert (plain.roots, plain.domain, plain.since, plain.function) == (("Abs",), "", 1, drop)
    assert repr(wide) == "Rule(first.drop)"


def test_a_rule_is_tried_from_its_opset_on_in_passes_in_force(rules):
    def builds_gelu(node, op):
        return skip("never")

    def always(node, op):
        return skip("never")

    rewrites("second", root=("Mul", "Add"))(always)
    rewrites("first", root="Mul", since=20)(builds_gelu)
    rewrites("first", root="Mul", domain="acme")(always)
    both = frozenset({"first", "second"})

    def tried(passes, opset):
        found = {root: rules_at(root, passes, opset) for root in ("Mul", "Add", ("acme", "Mul"), ("acme", "Add"))}
        return {root: [rule.name for rule in rules] for root, rules in found.items() if rules}

    assert tried(both, 19) == {"Mul": ["always"], "Add": ["always"], ("acme", "Mul"): ["always"]}
    # The catalogue's order counts, not the order of registration.
    assert tried(both, 20) == {"Mul": ["builds_gelu", "always"], "Add": ["always"], ("acme", "Mul"): ["always"]}
    assert tried(frozenset({"second"}), 20) == {"Mul": ["always"], "Add": ["always"]}
    assert tried(frozenset(), 20) == {}


def test_every_registered_rule_belongs_to_a_pass_of_rules():
    catalog.load()
    assert {name for name, found in RULES.items() if found} <= set(catalog.CATALOG)
    assert all(rule.roots and rule.since >= 1 and rule.pass_name == name for name, found in RULES.items() for rule in found)
