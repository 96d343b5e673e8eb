"""The driver: the only place where the graph changes.

Each node is visited once in order: inferred, folded, and offered to the rules rooted at its operator. A change puts
just the nodes it can matter to back into the queue, so the work is proportional to what changed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence

from ..errors import PassError
from ..infer.engine import Inference
from ..ir.graph import Graph, Model, Node, Value, drop_use, mark_changed_owners, rename
from ..ir.sort import move_before
from .builder import Builder
from .numbering import Numbering
from .rule import Remembered, Rule, Rules, Several, Skip, holds_before

Fold = Callable[[Node], "Sequence[Value] | None"]
REACH = 8
"""How many nodes in a row are visited again when a value before them has one reader left."""
VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand"})
"""Rules about these look through what stands between two of them, or behind one."""


class Driver:
    """Visits nodes until nothing changes.

    `rules` are tried by op type in order; `fold` gives the constants a node computes or None. `fired` counts rule
    firings and, with `trace`, `skips` counts refusals by reason and `events` lists (pass, rule, op, name) per replaced
    node.
    """

    def __init__(self, model: Model, rules: Rules, *, ctx: Inference, fold: Fold | None = None,
                 allows_growth: Callable[[int, Sequence[Value]], bool] | None = None, trace: bool = False,
                 numbering: Numbering | None = None, bodies: bool = True) -> None:
        self.model = model
        self.bodies = bodies
        self.rules = Remembered(rules)
        self.ctx = ctx
        self.fold = fold
        self.queue: deque[Node] = deque()
        self.fired: Counter[str] = Counter()
        self.skips: Counter[tuple[str, str]] = Counter()
        self.events: list[tuple[str, str, str, str]] = []
        self.trace = trace
        self.changes = 0
        self.budget = 0
        self.numbering = numbering
        self.builder = Builder(model, ctx, allows_growth or (lambda nbytes, replaced: True), numbering)
        ctx.changed = self._facts_changed
        ctx.enter = self.sweep

    # --- running ---------------------------------------------------------------------------------------------------
    def run(self, expected: int = 0) -> int:
        """Visit the whole model to the fixed point; gives the number of changes. `expected` more nodes may be made."""
        before = self.changes
        total = expected + sum(graph.count for graph in self.model.graphs())
        self.budget = self.changes + 20 * total + 2000
        for graph in self.model.graphs():
            for node in graph:
                node.queued = True
        # What waits from before is visited in order too: a node before its producers would take its declared sizes.
        self.queue.clear()
        self.sweep(self.model.graph)
        self.drain()
        return self.changes - before

    def sweep(self, graph: Graph) -> None:
        """Visit the waiting nodes of one graph in order."""
        process = self.process
        queue = self.queue
        node = graph.first
        while node is not None:
            if node.queued and node.alive:
                process(node)
                while queue:
                    process(queue.popleft())
            node = node.next

    def drain(self) -> int:
        """Visit what waits in the queue; gives the number of changes."""
        before = self.changes
        queue = self.queue
        while queue:
            self.process(queue.popleft())
        return self.changes - before

    def push(self, node: Node) -> None:
        """Visit a node again."""
        if not node.queued and node.alive:
            node.queued = True
            self.queue.append(node)

    def _facts_changed(self, value: Value) -> None:
        for user in value.uses:
            if not user.queued and user.alive:
                visit = self._push_along if user.op_type in VIEWS else self.push
                visit(user)
        if value.outputs and value.graph.owner is not None:
            self.push(value.graph.owner)

    def process(self, node: Node) -> None:
        if not node.alive:
            return
        node.queued = False
        if not self.bodies and node.graph.owner is not None:  # type: ignore[union-attr]
            self.ctx.infer(node)
            return
        for value in node.outputs:
            if value.uses or value.outputs:
                break
        else:
            if node.outputs or not node.bodies:
                self.remove(node)
                return
        if node.bodies:
            # A sweep of its body came back to the node: that visit is still going on and will see what became known.
            if not self.ctx.open_bodies.isdisjoint(node.bodies.values()):
                return
        self.ctx.infer(node)
        if not node.alive:
            return  # type: ignore[unreachable]  # inferring bodies may have removed it
        fold = self.fold
        if fold is not None:
            constants = fold(node)
            if constants is not None:
                if self.replace(node, constants):
                    self._count("fold_constants", "fold", node)
                return
        numbering = self.numbering
        if numbering is not None and self._merged(node, numbering):
            return
        rules = self.rules[(node.domain, node.op_type) if node.domain else node.op_type]
        if rules is not None:
            self._rewrite(node, rules)

    def _merged(self, node: Node, numbering: Numbering) -> bool:
        """Let an earlier node or value that is known to be the same serve for this one."""
        if numbering.merges_nodes:
            same = numbering.same_node(node)
            if same is not None and self.replace(node, same):
                self._count("eliminate_common_subexpression", "same_node", node)
                return True
        if node.op_type == "Shape" and not node.domain:
            numbering.note_sizes(node.inputs[0])  # type: ignore[arg-type]
        if numbering.merges_values and node.outputs and node.outputs[0].data is not None:
            value = numbering.same_value(node)
            if value is not None and self.replace(node, (value,)):
                self._count("merge_equal_sizes", "same_value", node)
                return True
        while numbering.later:
            self.push(numbering.later.pop())
        return False

    def _rewrite(self, node: Node, rules: list[Rule]) -> None:
        builder = self.builder
        builder.at(node)
        before: set[str] | None = None
        for rule in rules:
            after = rule.after
            blocked = False
            if after is not None:
                if before is None:
                    before = holds_before(node)
                blocked = after.isdisjoint(before)
                if blocked and not self.trace:
                    continue
            result = rule.function(node, builder)
            if type(result) is Skip:
                if self.trace:
                    self.skips[rule.name, result.reason] += 1
                if builder.made:
                    self._take_back(builder.made)
                    builder.at(node)
                while builder.again:
                    self.push(builder.again.pop())
                continue
            assert not blocked, f"{rule} fires where it says that it cannot"
            made = builder.made
            name = node.name
            if type(result) is Several:
                self._name(result.last, result.pairs[-1][1], made)
                done = self.replace_several(result)
            else:
                values = result if type(result) is tuple else (result,)
                self._name(node, values, made)
                done = self.replace(node, values)
            if done:
                self._count(rule.pass_name, rule.name, node, name)
                for fresh in made:
                    self.push(fresh)
                return
            self._take_back(made)
            builder.at(node)

    def _name(self, node: Node, values: Sequence[Value], made: list[Node]) -> None:
        """A new node that is no other one again takes the name, doc string and metadata of what it replaces.

        Further nameless ones take a name derived from it.
        """
        if not made or not values:
            return
        last = values[0].node
        if last in made and last.proto is None:
            last.proto = node.proto
        if not node.name:
            return
        given: set[str] = set()
        for fresh in made:
            if not fresh.name:
                name = node.name if fresh is last else f"{node.name}_{fresh.op_type}"
                fresh.name = f"{name}_{len(given)}" if name in given else name
                given.add(fresh.name)

    def _take_back(self, made: list[Node]) -> None:
        """Remove what a rule made and does not use. All is as before then, so nobody is visited again for it."""
        for node in reversed(made):
            if not node.alive or not all(v.is_dead for v in node.outputs):
                continue
            assert node.graph is not None
            node.graph.unlink(node)
            for value in node.inputs:
                if value is None or node not in value.uses:
                    continue
                drop_use(value, node)
                if value.is_dead and value.node is None and not value.is_input:
                    value.graph.constants.pop(value, None)

    def _count(self, pass_name: str, rule: str, node: Node, name: str = "") -> None:
        self.changes += 1
        self.fired[pass_name] += 1
        if self.trace:
            self.events.append((pass_name, rule, node.op_type, name or node.name))
        if self.changes > self.budget:
            busiest = ", ".join(name for name, _ in self.fired.most_common(3))
            raise PassError(f"rewriting does not come to an end; the busiest passes are {busiest}", pass_name=pass_name,
                            rule=rule, node=node.where())

    # --- edits -----------------------------------------------------------------------------------------------------
    def replace(self, node: Node, values: Sequence[Value]) -> bool:
        """Let `values` stand in for the outputs of `node` and remove it. False (and no change) if they cannot.

        An output of the graph keeps its name: the new value takes it over, unless that value is an input, a constant
        with a name of its own, or an output too; then an Identity would be needed and nothing is gained.
        """
        outputs = node.outputs
        graph = node.graph
        assert graph is not None
        named: set[Value] = set()
        for old, new in zip(outputs, values):
            if old.outputs:
                if new in named or not self._can_be_output(old, new, graph):
                    return False
                named.add(new)
        for old, new in zip(outputs, values):
            if old is not new:
                self.substitute(old, new)
        self.remove(node)
        mark_changed_owners(graph)
        return True

    def replace_several(self, several: Several) -> bool:
        """As `replace`, for several nodes at once; what would stand before its inputs then is moved."""
        graph = several.last.graph
        assert graph is not None
        changes = [(old, new) for node, values in several.pairs for old, new in zip(node.outputs, values)
                   if old is not new]
        for old, new in changes:
            if old.outputs and not self._can_be_output(old, new, graph):
                return False
        following = several.last.next
        for node in several.behind:
            move_before(graph, following, node)
        for old, new in changes:
            self.substitute(old, new)
        for node, _ in sorted(several.pairs, key=lambda pair: -pair[0].position):
            if node.alive and all(value.is_dead for value in node.outputs):
                self.remove(node)
        mark_changed_owners(graph)
        return True

    def _can_be_output(self, old: Value, new: Value, graph: Graph) -> bool:
        if new.graph is not graph or new.is_input or new.outputs or old is new:
            return False
        # What is neither made by a node nor held as a tensor is a sparse initializer, which onnxruntime takes for no output.
        return new.tensor is not None if new.node is None else new.node.alive

    def substitute(self, old: Value, new: Value) -> None:
        """All readers of `old` read `new`; if `old` is a graph output, `new` becomes it under the same name."""
        far = new.tensor is not None or new.node is not None and new.node.op_type in VIEWS
        visit = self._push_along if far else self.push
        if far and new.node is not None:
            self.push(new.node)
            before = new.node.input(0)
            if before is not None and before.node is not None and before.node.op_type in VIEWS:
                self.push(before.node)  # a chain that went on there may end now that its result has another reader
        for user, count in old.uses.items():
            inputs = user.inputs
            for index, value in enumerate(inputs):
                if value is old:
                    inputs[index] = new
            new.uses[user] = new.uses.get(user, 0) + count
            user.changed = True
            visit(user)
        old.uses.clear()
        if old.outputs:
            graph = old.graph
            graph.outputs[:] = [new if value is old else value for value in graph.outputs]
            new.outputs, old.outputs = old.outputs, 0
            name, new_name = old.name, new.name
            old.name = new_name
            rename(new, name)
            new.info = old.info
            if new.type_proto is None:
                new.type_proto = old.type_proto
            self._hand_over_facts(old, new)
            for user in new.uses:
                self._push_along(user)
            if graph.owner is not None:
                self.push(graph.owner)
        elif new.node is not None:
            self._hand_over_facts(old, new)

    def _hand_over_facts(self, old: Value, new: Value) -> None:
        if old.shape is not None and new.tensor is None and not old.doubtful:
            self.ctx.discover(new, 0 if new.dtype else old.dtype, old.shape, old.data if new.data is None else None)

    def remove(self, node: Node) -> None:
        """Remove a node whose outputs nobody reads, and what only it kept alive."""
        stack = [node]
        blockers = self.builder.blockers
        while stack:
            gone = stack.pop()
            if not gone.alive:
                continue
            for blocked in blockers.pop(gone, ()):
                self._push_along(blocked)
            graph = gone.graph
            assert graph is not None
            graph.unlink(gone)
            mark_changed_owners(graph)
            for value in gone.inputs:
                if value is not None:
                    self._released(value, gone, stack)
            if gone.bodies:
                for body in gone.bodies.values():
                    self._empty(body, stack)

    def _empty(self, body: Graph, stack: list[Node]) -> None:
        for value in body.outputs:
            value.outputs = 0
        stack.extend(body.reversed())

    def _released(self, value: Value, reader: Node, stack: list[Node]) -> None:
        uses = value.uses
        if reader not in uses:
            return
        drop_use(value, reader)
        if not uses:
            producer = value.node
            if value.outputs:
                if producer is not None:
                    self.push(producer)
                return
            if producer is None:
                if not value.is_input:
                    value.graph.constants.pop(value, None)
            elif producer.alive:
                for output in producer.outputs:
                    if output.uses or output.outputs:
                        self.push(producer)
                        break
                else:
                    stack.append(producer)
        elif len(uses) == 1:
            if value.node is not None:
                self.push(value.node)
                self._push_readers(value.node)
            self._push_along(next(iter(uses)))

    def _push_readers(self, node: Node) -> None:
        """Visit again what reads the results of a node: a rule may look at the readers of all."""
        if len(node.outputs) <= 2 * REACH:
            for value in node.outputs:
                for user in value.uses:
                    self.push(user)

    def _push_along(self, node: Node) -> None:
        """Visit a node again, and those after it while there is one way on: a rule may look back as far as that."""
        for _ in range(REACH):
            self.push(node)
            outputs = node.outputs
            if len(outputs) != 1:
                self._push_readers(node)
                return
            if outputs[0].outputs or len(outputs[0].uses) != 1:
                return
            node, = outputs[0].uses
