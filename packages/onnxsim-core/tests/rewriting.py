"""Assertions about rewrite rules, shared by the tests of the passes.

Graphs are written in ONNX text. `assert_rewrites` checks the graph a rule builds, that the checker accepts it, that it
computes the same, and that the rule holds its hands off in the hazards every rule meets: a middle value that is a graph
output or has a second reader, a constant that is a graph input, the whole pattern inside an If.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import onnx
from malformed import show_malformed
from onnx import TensorProto, helper

from onnxsim_core import simplify
from onnxsim_core.fold.engine import Folder
from onnxsim_core.infer.engine import Inference
from onnxsim_core.infer.tail import infer_by_schema
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.ops import load as load_ops
from onnxsim_core.passes import catalog, tidy
from onnxsim_core.passes.prepare import drop_default_inputs
from onnxsim_core.rewrite.driver import Driver
from onnxsim_core.rewrite.numbering import Numbering
from onnxsim_core.rewrite.rule import ROOTS, RULES, Rule
from onnxsim_testkit import assert_same_outputs, model, random_feeds

DIMS = {"n": 2, "m": 3, "k": 4, "batch": 2, "seq": 3, "h": 5, "w": 6}


def rules_of(rule: Any) -> list[Rule]:
    """Rule objects of a rule function, a pass name, or a list of either."""
    if isinstance(rule, (list, tuple)):
        return [found for one in rule for found in rules_of(one)]
    if isinstance(rule, str):
        return RULES[rule]
    return [found for rules in RULES.values() for found in rules if found.function is rule]


def apply(rule: Any, before: str | onnx.ModelProto, *, opset: int = 17, fold: bool = False, overridable: bool = False,
          numbering: bool = False, **model_options: Any) -> tuple[onnx.ModelProto, Driver]:
    """Run only these rules, with folding and numbering if asked, over a model; gives the result and the driver."""
    load_ops()
    proto = model(before, opset=opset, **model_options) if isinstance(before, str) else before
    ir = show_malformed(read_model(proto.SerializeToString()))
    if not overridable:
        drop_default_inputs(ir.graph)
    table: dict[Any, list[Rule]] = {}
    for found in rules_of(rule):
        for root in found.roots:
            table.setdefault((found.domain, root) if found.domain else root, []).append(found)
    ctx = Inference(ir, tail=infer_by_schema)
    folder = Folder(ctx)
    driver = Driver(ir, table, ctx=ctx, fold=folder.fold if fold else None, allows_growth=folder.sizes.allows_growth,
                    trace=True,
                    numbering=Numbering(ir) if numbering else None)
    driver.run()
    tidy.remove_dead_code(ir, driver)
    tidy.drop_unused_constants(ir)
    return model_proto(ir), driver


def assert_rewrites(rule: Any, before: str, after: str, *, opset: int = 17, rtol: float = 0.0, atol: float = 0.0,
                    fold: bool = False, feeds: Any = None, initializers: Any = None, hazards: bool = True,
                    domains: Any = None, numbering: bool = False) -> onnx.ModelProto:
    """The rule turns `before` into exactly `after`, and the result computes the same within the stated bound."""
    options = {"initializers": initializers, "domains": domains}
    original = model(before, opset=opset, **options)
    result, driver = apply(rule, original, fold=fold, numbering=numbering)
    assert driver.changes, f"the rule did not fire; it skipped because of {sorted(k[1] for k in driver.skips)}"
    wanted = model(after, opset=opset, domains=domains)
    assert outline(result) == outline(wanted), f"\n{onnx.printer.to_text(result.graph)}\n  is not\n{outline(wanted)}"
    assert_same_model(original, result, rtol=rtol, atol=atol, feeds=feeds)
    if hazards:
        for name, hazard in hazardous(original):
            changed, _ = apply(rule, hazard, fold=fold, overridable=name == "overridable", numbering=numbering)
            assert_same_model(hazard, changed, rtol=rtol, atol=atol, feeds=feeds)
    return result


def assert_skips(rule: Any, before: str, reason: str, *, opset: int = 17, fold: bool = False, initializers: Any = None,
                 domains: Any = None, numbering: bool = False) -> None:
    """The rule leaves the graph alone and gives this reason."""
    _, driver = apply(rule, model(before, opset=opset, initializers=initializers, domains=domains), fold=fold,
                      numbering=numbering)
    reasons = {key[1] for key in driver.skips}
    assert not driver.changes, "the rule fired"
    assert reason in reasons, f"it skipped because of {sorted(reasons)}"


def assert_simplifies(before: str, after: str, *, opset: int = 17, rtol: float = 1e-5, atol: float = 1e-6,
                      initializers: Any = None, domains: Any = None, feeds: Any = None,
                      **options: Any) -> onnx.ModelProto:
    """`simplify()` as a whole turns `before` into `after` (op types, attributes, wiring, small constants)."""
    original = model(before, opset=opset, initializers=initializers, domains=domains)
    result = simplify(original, **options).model
    wanted = model(after, opset=opset, domains=domains)
    assert outline(result) == outline(wanted), f"\n{onnx.printer.to_text(result.graph)}\n  is not\n{outline(wanted)}"
    assert_same_model(original, result, rtol=rtol, atol=atol, feeds=feeds)
    return result


def assert_same_model(a: onnx.ModelProto, b: onnx.ModelProto, *, rtol: float, atol: float, feeds: Any = None) -> None:
    """Same interface, valid for the checker, and the same outputs on two seeds."""
    onnx.checker.check_model(b, full_check=True)
    assert [v.name for v in a.graph.output] == [v.name for v in b.graph.output]
    for seed in (0, 1):
        data = random_feeds(a, seed=seed, dims=DIMS) if feeds is None else feeds
        names = {v.name for v in b.graph.input}
        assert {v.name for v in a.graph.input if v.name in data} <= names | set(), "an input is gone"
        assert_same_outputs(a, b, data, rtol=rtol, atol=atol)
        if feeds is not None:
            break


def hazardous(original: onnx.ModelProto) -> list[tuple[str, onnx.ModelProto]]:
    """Variants of a model that a rule must not break."""
    inferred = onnx.shape_inference.infer_shapes(original)
    types = {v.name: v for v in inferred.graph.value_info}
    found = []
    outputs = {v.name for v in original.graph.output}
    made = [name for node in original.graph.node for name in node.output]
    inner = [name for name in made if name and name not in outputs and name in types]
    for name in inner:
        exposed = _copy(original)
        exposed.graph.output.append(types[name])
        found.append(("middle value is an output", exposed))
        read_twice = _copy(original)
        reader = "Neg" if _is_signed(types[name]) else "Identity"
        read_twice.graph.node.append(helper.make_node(reader, [name], ["_twice"]))
        second = read_twice.graph.output.add()
        second.CopyFrom(types[name])
        second.name = "_twice"
        found.append(("middle value is read twice", read_twice))
    if original.graph.initializer:
        overridable = _copy(original)
        listed = {v.name for v in original.graph.input}
        for tensor in original.graph.initializer:
            if tensor.name not in listed:
                overridable.graph.input.append(
                    helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
        found.append(("overridable", overridable))
    return [*found, ("inside an If", inside_if(original))]


def _is_signed(info: onnx.ValueInfoProto) -> bool:
    return info.type.tensor_type.elem_type in (TensorProto.FLOAT, TensorProto.DOUBLE)


def _copy(proto: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    return copy


def inside_if(original: onnx.ModelProto) -> onnx.ModelProto:
    """The same model with its nodes in both branches of an If whose condition is an input."""
    wrapped = _copy(original)
    graph = wrapped.graph
    branches = []
    for name in ("then", "else"):
        branch = onnx.GraphProto(name=name)
        for node in graph.node:
            copy = branch.node.add()
            copy.CopyFrom(node)
            copy.input[:] = [f"{v}_{name}" if v and v in _made(graph) else v for v in copy.input]
            copy.output[:] = [f"{v}_{name}" if v else v for v in copy.output]
        for output in graph.output:
            made = branch.output.add()
            made.CopyFrom(output)
            made.name = f"{output.name}_{name}"
        branches.append(branch)
    del graph.node[:]
    del graph.value_info[:]
    graph.input.append(helper.make_tensor_value_info("_cond", TensorProto.BOOL, []))
    graph.node.append(helper.make_node("If", ["_cond"], [v.name for v in graph.output],
                                       then_branch=branches[0], else_branch=branches[1]))
    return wrapped


def _made(graph: onnx.GraphProto) -> set[str]:
    return {name for node in graph.node for name in node.output}


def outline(proto: onnx.ModelProto) -> Any:
    """A graph without inner names: every output as the expression that computes it, and how often each op occurs."""
    graph = proto.graph
    makers = {name: (node, i) for node in graph.node for i, name in enumerate(node.output) if name}
    constants = {t.name: t for t in graph.initializer}
    seen: dict[str, Any] = {}

    def value(name: str) -> Any:
        if not name:
            return None
        if name in seen:
            return seen[name]
        if name in makers:
            node, index = makers[name]
            if node.op_type == "Constant":
                result: Any = _constant(node)
            else:
                result = (node.op_type, node.domain, index, _attributes(node), tuple(value(v) for v in node.input))
        elif name in constants:
            result = _numbers(onnx.numpy_helper.to_array(constants[name]))
        else:
            result = name
        seen[name] = result
        return result

    ops = Counter(node.op_type for node in graph.node if node.op_type != "Constant")
    return tuple((v.name, value(v.name)) for v in graph.output), dict(ops)


def _constant(node: onnx.NodeProto) -> Any:
    attribute = node.attribute[0]
    found = helper.get_attribute_value(attribute)
    if isinstance(found, TensorProto):
        return _numbers(onnx.numpy_helper.to_array(found))
    kind = np.int64 if attribute.name.startswith("value_int") else np.float32
    return _numbers(np.array(found, kind))


def _numbers(array: np.ndarray) -> Any:
    if array.size > 64:
        return str(array.dtype), array.shape
    if array.dtype.kind in "fV":
        return str(array.dtype), array.shape, tuple(float(f"{float(v):.5g}") for v in array.reshape(-1))
    return str(array.dtype), array.shape, tuple(array.reshape(-1).tolist())


def _attributes(node: onnx.NodeProto) -> Any:
    found = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, TensorProto):
            value = _numbers(onnx.numpy_helper.to_array(value))
        elif isinstance(value, onnx.GraphProto):
            value = tuple(n.op_type for n in value.node)
        elif isinstance(value, float):
            value = float(f"{value:.5g}")
        elif not isinstance(value, (int, bytes)):
            value = tuple(value)
        found[attribute.name] = value
    return tuple(sorted(found.items(), key=lambda item: item[0]))


def withdraw(name: str) -> None:
    """Take a pass that a test declared out of the catalogue again, with its rules."""
    del catalog.CATALOG[name]
    RULES.pop(name, None)
    for rules in ROOTS.values():
        rules[:] = [rule for rule in rules if rule.pass_name != name]
    catalog._defaults.cache_clear()
