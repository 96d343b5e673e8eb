"""From pairs of FunctionProtos to rules: everything that is wrong with a pair is said before a model is touched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import OptionError
from ..functions.body import defaults
from ..ir.graph import Model
from ..rewrite.rule import Rule
from ..versions.fit import means_the_same
from ..versions.history import arity, is_gone, schema_of, since, versions
from .apply import Application, Lineage
from .pattern import REST, Pattern, hole_name

PASS = "function_rewrite_rules"


class FunctionRule:
    """A pattern and what is put in its place.

    Raises:
        TypeError: they are no FunctionProtos.
        OptionError: the pair is no rule, with the reason.
    """

    def __init__(self, pattern: Any, replacement: Any, number: int) -> None:
        for proto in (pattern, replacement):
            if not hasattr(proto, "attribute_proto") or not hasattr(proto, "opset_import"):
                raise TypeError(f"rewrite rule {number} is a pair of onnx.FunctionProto, not of {type(proto).__name__}")
        self.name = f"{number} ({pattern.name})" if pattern.name else str(number)
        self.pattern = Pattern(pattern, self.name)
        self.opsets = {**imports(replacement), **imports(pattern)}
        self.replacement = type(replacement)()
        self.replacement.CopyFrom(replacement)
        self._nodes = [*pattern.node, *replacement.node]
        self._check(replacement)
        write_holes(self.replacement.node, self.opsets.get("", 0))

    def _fault(self, text: str) -> OptionError:
        return OptionError(f"rewrite rule {self.name}: its replacement {text}")

    def _check(self, proto: Any) -> None:
        if len(proto.output) != len(self.pattern.outputs):
            raise self._fault(f"has {len(proto.output)} outputs, its pattern {len(self.pattern.outputs)}")
        known = set(proto.input)
        for name in proto.input:
            source = self.pattern.inputs.get(name)
            if source is None or not source.readers:
                raise self._fault(f"takes {name!r}, which is no input that its pattern reads")
        open_holes = self.pattern.holes | set(defaults(proto))
        for node in proto.node:
            for name in node.input:
                if name and name not in known:
                    raise self._fault(f"reads {name!r}, which is neither an input nor made before")
                if name.endswith(REST) and name != node.input[-1]:
                    raise self._fault(f"has an input of the rest that is not the last one of {node.op_type}")
            for attribute in node.attribute:
                hole = hole_name(attribute)
                if hole is not None and hole not in open_holes:
                    raise self._fault(f"uses @{hole}, which its pattern does not bind")
            for name in node.output:
                if name in known:
                    raise self._fault(f"gives the name {name!r} to two values")
            known |= set(node.output) - {""}
            self._check_operator(node)
        for name in proto.output:
            if name not in known:
                raise self._fault(f"has the output {name!r}, which is neither an input nor made by a node")

    def _check_operator(self, node: Any) -> None:
        opset = self.opsets.get("")
        if node.domain not in ("", "ai.onnx") or opset is None or not versions(node.op_type):
            return
        version = since(node.op_type, opset)
        if not version or is_gone(node.op_type, version):
            raise self._fault(f"makes {node.op_type}, which operator set {opset} does not have")
        fewest, most, outputs = arity(node.op_type, version)
        count = len(node.input)
        few = count < fewest and not any(name.endswith(REST) for name in node.input)
        if few or count > most or len(node.output) > outputs:
            raise self._fault(f"gives {node.op_type} {count} inputs and {len(node.output)} outputs, which operator set "
                              f"{opset} does not allow")

    # --- use -------------------------------------------------------------------------------------------------------
    def mismatch(self, model: Model) -> str | None:
        """Why the rule does not speak of the operators of this model; None when it does."""
        opset, actual = self.opsets.get(""), model.opset()
        if opset is None or opset == actual:
            return None
        for node in self._nodes:
            if node.domain in ("", "ai.onnx") and not means_the_same(node, opset, actual):
                return (f"rewrite rule {self.name} is left out: it is written for opset {opset}, and {node.op_type} is "
                        f"another in opset {actual} of the model")
        return None

    def rules(self, model: Model, lineage: Lineage) -> list[Rule]:
        """Rules for the driver of one model: one for each operator that a find can end in."""
        application = Application(self.name, self.pattern, self.replacement, self.opsets, model, lineage)
        found: dict[tuple[str, str], Rule] = {}
        for sink in self.pattern.sinks:
            key = (sink.domain, sink.op_type)
            if key not in found:
                rule = found[key] = Rule(PASS, (sink.op_type,), sink.domain, 1, application.rewrite)
                rule.name = f"rewrite rule {self.name}"
        return list(found.values())


def compile_rules(pairs: Iterable[Any] | None) -> tuple[FunctionRule, ...]:
    """The rules of pairs (pattern, replacement) of FunctionProtos.

    Raises:
        TypeError: one is no pair of FunctionProtos.
        OptionError: one is no rule; the message names it and says why.
    """
    rules = []
    for number, pair in enumerate(pairs or (), 1):
        try:
            pattern, replacement = pair
        except (TypeError, ValueError):
            kind = type(pair).__name__
            raise TypeError(f"rewrite rule {number} is a pair of onnx.FunctionProto, not {kind}") from None
        rules.append(FunctionRule(pattern, replacement, number))
    return tuple(rules)


def imports(proto: Any) -> dict[str, int]:
    """The operator sets a function asks for."""
    return {"" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in proto.opset_import}


def write_holes(nodes: Any, opset: int) -> None:
    """Make the text `@name` in attributes a reference to the function's attribute, in bodies too."""
    for node in nodes:
        version = since(node.op_type, opset) if node.domain in ("", "ai.onnx") else 0
        known = schema_of(node.op_type, version).attributes if version else {}
        for attribute in node.attribute:
            name = hole_name(attribute)
            if name is not None and not attribute.ref_attr_name:
                attribute.ClearField("s")
                attribute.ref_attr_name = name
                if attribute.name in known:
                    attribute.type = int(known[attribute.name].type.value)
            if attribute.type == 5:
                write_holes(attribute.g.node, opset)
