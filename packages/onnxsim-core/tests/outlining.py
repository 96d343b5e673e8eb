"""Random models with parts of their graph moved into local functions."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import onnx
from onnx import AttributeProto, helper

from onnxsim_testkit import random_model

DOMAIN = "outlined"
PLAIN = (AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT)
BOUND = ("Constant", "If", "Loop", "Cast")
"""Operators whose attributes stay: their types depend on them."""


def outlined_model(seed: int) -> tuple[onnx.ModelProto, onnx.ModelProto, dict[str, int]]:
    """A random model, the same with calls of functions, and the sizes of its named dimensions."""
    rng = Random(seed)
    original, sizes = random_model(rng, nodes=rng.randrange(6, 22))
    outlined = onnx.ModelProto()
    outlined.CopyFrom(original)
    outliner = Outliner(rng, original.opset_import[0].version)
    nodes = list(original.graph.node)
    for number in range(rng.randrange(1, 4)):
        nodes = outliner.outline(nodes, {output.name for output in original.graph.output}, f"f{number}")
    del outlined.graph.node[:]
    outlined.graph.node.extend(nodes)
    outlined.functions.extend(outliner.functions)
    outlined.opset_import.add(domain=DOMAIN, version=1)
    outlined.ir_version = max(outlined.ir_version, 10)
    return original, outlined, sizes


class Outliner:
    """Moves runs of nodes into functions, some of their attributes into parameters."""

    def __init__(self, rng: Random, opset: int) -> None:
        self.rng = rng
        self.opset = opset
        self.functions: list[onnx.FunctionProto] = []

    def outline(self, nodes: list[Any], wanted: set[str], name: str, depth: int = 0) -> list[Any]:
        """The nodes with a call in place of some of them."""
        if len(nodes) < 3:
            return nodes
        start = self.rng.randrange(len(nodes) - 1)
        end = self.rng.randrange(start + 2, min(len(nodes), start + 8) + 1)
        part = nodes[start:end]
        made = [output for node in part for output in node.output if output]
        inputs = list(dict.fromkeys(value for node in part for value in reads(node) if value not in made))
        later = wanted.union(*(reads(node) for node in nodes[end:]))
        outputs = [value for value in made if value in later]
        if not outputs:
            return nodes
        body = part
        if depth < 2 and self.rng.random() < 0.5:
            body = self.outline(part, set(outputs), f"{name}n", depth + 1)
        imports = [helper.make_opsetid("", self.opset), helper.make_opsetid(DOMAIN, 1)]
        copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in body]
        function = helper.make_function(DOMAIN, name, inputs, outputs, copies, imports)
        call = helper.make_node(name, inputs, outputs, domain=DOMAIN, **self.parameters(function))
        self.functions.append(function)
        return [*nodes[:start], call, *nodes[end:]]

    def parameters(self, function: onnx.FunctionProto) -> dict[str, Any]:
        """Make parameters of some attributes, with and without default; gives what a call has to say."""
        said: dict[str, Any] = {}
        for node in function.node:
            for attribute in node.attribute:
                if node.domain or node.op_type in BOUND or attribute.type not in PLAIN or self.rng.random() < 0.5:
                    continue
                name = f"p{len(function.attribute) + len(function.attribute_proto)}"
                has_default = self.rng.random() < 0.5
                if has_default:
                    default = function.attribute_proto.add()
                    default.CopyFrom(attribute)
                    default.name = name
                else:
                    function.attribute.append(name)
                if not has_default or self.rng.random() < 0.5:
                    said[name] = helper.get_attribute_value(attribute)
                kind, own = attribute.type, attribute.name
                attribute.Clear()
                attribute.name, attribute.type, attribute.ref_attr_name = own, kind, name
        return said


def reads(node: onnx.NodeProto) -> Iterator[str]:
    """What a node reads from around it, also in its bodies."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            made = {one.name for one in (*attribute.g.input, *attribute.g.initializer)}
            for inner in attribute.g.node:
                yield from (value for value in reads(inner) if value not in made)
                made.update(inner.output)
            yield from (output.name for output in attribute.g.output if output.name not in made)
