"""One job from reading to writing; and when the result differs from the original, the pass that did it is left out.

The culprit is found by bisection: with the first k of the passes that did something, and no others, the model is
still equal; with one more it is not. Each trial starts from the original, and nothing takes the place of the target
before the comparison has found a model equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .delivery import Comparison, Delivery, deliver
from .errors import CheckError
from .options import SimplifyOptions

if TYPE_CHECKING:
    from .check.result import CheckResult, Mismatch
    from .ir.graph import Model
    from .passes.manager import Report
    from .passes.phases import Phases

MOST_CULPRITS = 4
_UNCOUNTED = ("eliminate_duplicate_initializer",)
"""Passes that do not say when they did something."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A simplified model, what was done to it, and what came of writing and comparing it."""

    graph: Model
    report: Report
    delivery: Delivery

    @property
    def differs(self) -> bool:
        """Was it compared with the original, and found different?"""
        return self.delivery.check is not None and not self.delivery.check.ok


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be simplified and how, what to compare the result with, and where to write it."""

    model: Any
    options: SimplifyOptions
    comparison: Comparison
    path: str | None
    threshold: int

    def attempt(self, skipped: frozenset[str] = frozenset(), *, writes: bool = True) -> Attempt:
        """Simplify without these passes, compare if that is wanted, and write."""
        from .ir.garbage import paused_gc
        from .ir.read import read_model
        from .passes.manager import simplify_model

        options = replace(self.options, skipped_passes=self.options.skipped_passes | skipped) if skipped else self.options
        listener: Phases = options.phases
        with paused_gc():
            with listener.phase("Read"):
                listener.step("reading", 0, 0)
                graph = read_model(self.model)
            self.comparison.validate(graph)
            report = simplify_model(graph, options)
        delivery = deliver(graph, self.path if writes else None, self.threshold, self.comparison, listener)
        return Attempt(graph, report, delivery)

    def mismatch(self, skipped: frozenset[str]) -> Mismatch | None:
        """The first thing that differs when these passes are left out."""
        check = self.attempt(skipped, writes=False).delivery.check
        return None if check is None or check.ok else check.mismatches[0]

    def run(self, *, strict: bool = False) -> Attempt:
        """Simplify; what differs from the original is healed, or with `strict` an error.

        Raises:
            CheckError: with `strict`, the simplified model differs; the message names the pass.
        """
        first = self.attempt()
        if not first.differs:
            return first
        listener: Phases = self.options.phases
        with listener.phase("Heal"):
            return heal(self, first, strict=strict)


def heal(task: Task, first: Attempt, *, strict: bool) -> Attempt:
    """Leave passes out until the model is equal. If no pass is the cause, the first attempt stays as it is."""
    from .passes import catalog

    options = task.options
    in_force = catalog.select(optimize=options.optimize, skipped=options.skipped_passes, extra=options.extra_passes)
    culprits: dict[str, str] = {}
    attempt = first
    while attempt.differs and len(culprits) < MOST_CULPRITS:
        if not (found := find(task, in_force, [*attempt.report.fired, *(set(_UNCOUNTED) - culprits.keys())])):
            break
        culprits[found[0]] = described(found[1])
        if strict:
            raise CheckError(f"pass {found[0]} {culprits[found[0]]}", hint="without strict the pass is left out")
        attempt = task.attempt(frozenset(culprits))
    if attempt.differs and (culprits or task.mismatch(in_force) is None):
        if strict:
            raise CheckError("several passes together changed an output", hint="without strict they are left out")
        attempt = task.attempt(in_force)
        culprits["of this model"] = "changed outputs together; all"
    if attempt.differs:
        return _given_up(task, first, strict=strict)
    attempt.report.blamed.update(culprits)
    attempt.report.warnings[:0] = [f"pass {name} {effect}; skipped" for name, effect in culprits.items()]
    return attempt


def find(task: Task, in_force: frozenset[str], suspects: Sequence[str]) -> tuple[str, Mismatch] | None:
    """The pass by which the model begins to differ, and what differs then; None when that is not to be told."""
    names = [name for name in suspects if name in in_force]

    def wrong(count: int) -> Mismatch | None:
        return task.mismatch(in_force - set(names[:count]))

    if not names or wrong(0) is not None:
        return None
    right, left = 0, len(names)
    found: Mismatch | None = None
    while left - right > 1 or found is None:
        middle = (right + left) // 2 if left - right > 1 else left
        mismatch = wrong(middle)
        if mismatch is not None:
            left, found = middle, mismatch
        elif middle == left:
            return None
        else:
            right = middle
    return names[left - 1], found


def described(mismatch: Mismatch) -> str:
    """What a pass did, for a sentence about it."""
    if not mismatch.output:
        return f"made a model that does not run ({mismatch.reason})"
    if mismatch.max_abs:
        return f"changed output {mismatch.output!r} by {mismatch.max_abs:.3g}"
    return f"changed output {mismatch.output!r}: {mismatch.reason}"


def _given_up(task: Task, first: Attempt, *, strict: bool) -> Attempt:
    """No pass is to blame: say what else may be."""
    check: CheckResult | None = first.delivery.check
    assert check is not None
    reference = task.comparison.reference
    again = None if reference is None else reference.compare(task.comparison.original)
    if again is not None and not again.ok:
        reason = "the original gives other outputs each time it runs"
    else:
        reason = "no pass is the cause; what else was asked for (rewriters, rules, another opset) may be"
    if strict:
        raise CheckError(f"{check}; {reason}")
    first.report.warnings.insert(0, reason)
    return first
