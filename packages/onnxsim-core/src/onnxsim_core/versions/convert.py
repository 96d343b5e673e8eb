"""Converting a model: every node is taken step by step to the version that the wanted operator set has.

Weights are not touched and nothing is serialized. Nodes of other domains, and operators that ONNX does not have, stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import OptionError, UnsupportedModelError
from ..functions.inline import with_inner
from ..infer.engine import Inference
from ..ir.formal import OPAQUE, newest
from ..ir.graph import AttributeRef, Graph, Model, Node, Value
from ..ops.registry import SHAPES
from ..rewrite.driver import Driver
from ..rewrite.rule import Skip
from . import steps
from .expand import WRITTEN_OUT, expand_by_schema
from .fit import additions, misfit, mistyped
from .history import OLDEST, is_gone, since, versions

DEEPEST = 30
"""How deep definitions may lie in one another."""
INLINE = "inlining the functions may help"


def wanted_opset(wanted: int | str | None) -> int | None:
    """The operator set a user asks for: a number, a number as text, `latest`, or None.

    Raises:
        OptionError: it is none that can be written.
    """
    if wanted is None:
        return None
    if wanted == "latest":
        return newest()
    number = int(wanted) if isinstance(wanted, str) and wanted.isdecimal() else wanted
    if type(number) is not int or not OLDEST <= number <= newest():
        raise OptionError(f"{wanted!r} is no operator set that can be written",
                          hint=f"give a number from {OLDEST} to {newest()}, or latest")
    return number


def raise_gaps(source: int, target: int, gaps: Sequence[str]) -> None:
    """Say why a conversion failed.

    Raises:
        UnsupportedModelError: there are gaps.
    """
    if gaps:
        raise UnsupportedModelError(f"the model cannot be converted from opset {source} to {target}", code="opset",
                                    gaps=gaps)


class Conversion:
    """Writes every node of a model for the operator set `target`.

    `levels` are nodes that are not of the model's own operator set; `name` stands for the main graph in messages. After
    `run`, `gaps` lists the nodes for which that cannot be done, with the reason; the model is of use only without any.
    `count` is how many nodes were written anew. What is known of values stays.
    """

    def __init__(self, model: Model, target: int, levels: Mapping[Node, int] | None = None, name: str = "") -> None:
        steps.load()
        self.model = model
        self.target = target
        self.source = model.opset()
        self.levels = levels or {}
        self.name = name
        self.gaps: list[str] = []
        self.count = 0
        self.ctx = Inference(model)
        self.driver = Driver(model, {}, ctx=self.ctx)
        self.ctx.enter = None
        self.ctx.changed = None
        self.depth = 0

    # --- facts -----------------------------------------------------------------------------------------------------
    def infer(self) -> None:
        """Infer every node by the rules of the operator set it is written for."""
        self.ctx.enter = self._walk
        self._walk(self.model.graph)
        self.ctx.enter = None

    def _walk(self, graph: Graph) -> None:
        levels, source = self.levels, self.source
        for node in graph:
            self._speak(levels.get(node, source))
            if not any(isinstance(value, AttributeRef) for value in node.attributes.values()):
                self.ctx.infer(node)

    def _speak(self, level: int) -> None:
        """From here on nodes are understood as of this operator set."""
        self.ctx.opset = self.driver.builder.opset = level
        self.ctx.table = SHAPES.table({**self.model.opsets, "": level})

    # --- nodes -----------------------------------------------------------------------------------------------------
    def run(self) -> Conversion:
        """Convert every node, collecting what cannot be converted."""
        levels = {self.source, self.target, *self.levels.values()}
        if len(levels) > 1 and max(levels) > newest():
            self.gaps.append(f"{self.name or 'main'}: opset {max(levels)} is newer than the installed onnx, "
                             f"which knows them up to {newest()}")
            return self
        self.infer()
        for node in [node for graph in self.model.graphs() for node in graph]:
            if node.domain == OPAQUE and since(node.op_type, self.source) != since(node.op_type, self.target):
                self._refuse(node, self.source, "it has not the form that its operator asks for")
            elif node.alive and not node.domain and versions(node.op_type):
                self._convert(node, self.levels.get(node, self.source))
        self.model.opsets[""] = self.target
        return self

    def _convert(self, node: Node, level: int) -> None:
        """Take a node from operator set `level` to the wanted one, and what it is replaced by too."""
        op_type = node.op_type
        current = since(op_type, level)
        while current:
            upwards = self.target >= level
            if since(op_type, self.target) == current:
                return
            if upwards:
                change = next(version for version in versions(op_type) if version > current)
                before, level = current, change
            else:
                change = current
                before, level = since(op_type, current - 1), current - 1
            if self._step(node, change, before, level, upwards=upwards):
                return
            current = since(op_type, level)

    def _step(self, node: Node, change: int, before: int, level: int, *, upwards: bool) -> bool:
        """One step over a change; True if the node is gone, or a reason was noted why it cannot be done."""
        op_type = node.op_type
        step = (steps.UP if upwards else steps.DOWN).get((op_type, change))
        builder = self.driver.builder
        self._speak(level)
        builder.at(node)
        expanded = not upwards and (op_type, change) in WRITTEN_OUT
        result: Value | tuple[Value, ...] | Skip | None = None
        if step is not None:
            if any(isinstance(value, AttributeRef) for value in node.attributes.values()):
                return self._refuse(node, change, "an attribute of it is a parameter of the function", INLINE)
            result = step(node, builder)
        elif upwards and is_gone(op_type, change):
            return self._refuse(node, change, f"the operator is gone since opset {change}")
        elif not upwards and (not before or expanded):
            return self._write_out(node, change, before)
        if isinstance(result, Skip):
            if not upwards and self._write_out(node, change, before, refuse=False):
                return True
            return self._refuse(node, change, result.reason)
        if result is not None:
            values = result if type(result) is tuple else (result,)
            self._replace(node, values, level, None if upwards else (change, before))  # type: ignore[arg-type]
            return True
        return not upwards and self._drop_additions(node, change, before, level)

    def _drop_additions(self, node: Node, change: int, before: int, level: int) -> bool:
        reason = misfit(node, change, before)
        if reason is not None:
            return self._write_out(node, change, before, refuse=False) or self._refuse(node, change, reason)
        dropped = additions(node, change, before)
        if dropped:
            self._replace(node, steps.rebuilt(self.driver.builder, node, node.inputs, **dropped), level)
        return bool(dropped)

    def _write_out(self, node: Node, change: int, before: int, *, refuse: bool = True) -> bool:
        """Replace the node by its definition."""
        builder = self.driver.builder
        builder.at(node)
        found = None if self.depth > DEEPEST else expand_by_schema(node, builder, change, self.target)
        if found is None or len(found[0]) < len(node.outputs):
            why = "an addition of this version is used" if before else f"the operator is new in opset {change}"
            return refuse and self._refuse(node, change, f"{why}, and nothing defines it by older ones")
        self._replace(node, found[0], found[1])
        return True

    def _replace(self, node: Node, values: Sequence[Value], level: int,
                 crossed: tuple[int, int] | None = None) -> None:
        """Let values stand for the node's outputs, and convert what made them from `level` on.

        `crossed` are the versions on both sides of a step downwards, which may have left additions behind.
        """
        made = list(self.driver.builder.made)
        for fresh in made:
            if not fresh.name and node.name:
                fresh.name = node.name if fresh is values[0].node else f"{node.name}_{fresh.op_type}"
        if not self.driver.replace(node, values):
            self._refuse(node, level, "a graph output cannot be handed over")
            return
        self.count += 1
        self.depth += 1
        for fresh in made:
            for inner in with_inner(fresh):
                if inner.alive and not inner.domain:
                    version = since(inner.op_type, level)
                    wrong = mistyped(inner, version) if version else None
                    if wrong is not None:
                        self._refuse(inner, version, wrong)
                    elif not (crossed and inner.op_type == node.op_type
                              and self._drop_additions(inner, *crossed, level)):
                        self._convert(inner, level)
        self.depth -= 1

    def _refuse(self, node: Node, change: int, reason: str, hint: str = "") -> bool:
        where = node.where()
        if self.name:
            where = self.name + where.removeprefix("main")
        if not hint and any(isinstance(value, AttributeRef) for value in node.attributes.values()):
            hint = INLINE
        text = f"{where}: {node.op_type} of opset {change}: {reason}"
        self.gaps.append(f"{text} ({hint})" if hint else text)
        return True
