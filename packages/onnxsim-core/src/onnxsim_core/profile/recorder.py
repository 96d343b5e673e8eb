"""The profile of a run: time, CPU time and memory of every phase, node counts round by round, sessions.

A thread looks at the resident memory every few milliseconds. Inside a round, inferring, folding and rewriting alternate
node by node; their time is added up and shown as one span each per round.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..infer.engine import Inference
from ..options import Environment
from ..passes.phases import NO_PHASES, Phases
from .rss import resident_mb

if TYPE_CHECKING:
    from ..ir.graph import Node
    from ..rewrite.driver import Driver

SWEEP = "OptAndShape"
"""The phase whose inside is added up."""
REST = "Optimize"


@dataclass(slots=True)
class Span:
    """One phase that ran. Times are seconds since the profile began."""

    name: str
    path: tuple[str, ...]
    begin: float
    cpu_begin: float
    begin_mb: float
    peak_mb: float
    end: float = 0.0
    cpu: float = 0.0
    end_mb: float = 0.0
    visits: int = 0

    @property
    def wall(self) -> float:
        return self.end - self.begin


@dataclass(slots=True)
class Session:
    """An onnxruntime session, when it was made and the trace it left."""

    begin: float
    path: str


@dataclass(slots=True)
class Clock:
    """Time shared out among functions that call each other: what runs inside another is not counted twice."""

    totals: dict[str, list[float]] = field(default_factory=dict)
    stack: list[str] = field(default_factory=lambda: [REST])
    wall: float = 0.0
    cpu: float = 0.0

    def start(self) -> None:
        self.totals = {REST: [0.0, 0.0, 1]}
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def switch(self) -> None:
        """What ran since the last switch belongs to what is on top of the stack."""
        wall, cpu = time.perf_counter(), time.process_time()
        total = self.totals.setdefault(self.stack[-1], [0.0, 0.0, 0])
        total[0] += wall - self.wall
        total[1] += cpu - self.cpu
        self.wall, self.cpu = wall, cpu

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its time counted under `name`."""

        def run(*arguments: Any) -> Any:
            self.switch()
            self.stack.append(name)
            try:
                return function(*arguments)
            finally:
                self.switch()
                self.stack.pop()
                self.totals[name][2] += 1

        return run


class Recorder(Phases):
    """Records one run. Use as a context manager around it; `then` hears of everything too."""

    records = True

    def __init__(self, wanted: Environment, then: Phases = NO_PHASES) -> None:
        self.wanted = wanted
        self.then = then
        self.spans: list[Span] = []
        self.samples: list[tuple[float, float]] = []
        self.counts: list[tuple[float, str, int]] = []
        self.sessions: list[Session] = []
        self._open: list[Span] = []
        self._clock = Clock()
        self._zero = time.perf_counter()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._waiting: list[float] = []

    def __enter__(self) -> Recorder:
        self._zero = time.perf_counter()
        if self.wanted.merge_ort_profile and self.wanted.ort_profile is None:
            self._folder = tempfile.TemporaryDirectory(prefix="onnxsim-ort-profile-")
        self._thread = threading.Thread(target=self._sample, name="onnxsim-memory", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def now(self) -> float:
        """Seconds since the profile began."""
        return time.perf_counter() - self._zero

    def _sample(self) -> None:
        while not self._over.wait(self.wanted.profile_interval_ms / 1000):
            self._look()

    def _look(self) -> float:
        resident = resident_mb()
        self.samples.append((self.now(), resident))
        for span in list(self._open):
            span.peak_mb = max(span.peak_mb, resident)
        return resident

    # --- what the run tells ----------------------------------------------------------------------------------------
    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        resident = self._look()
        path = (*(span.name for span in self._open), name)
        span = Span(name, path, self.now(), time.process_time(), resident, resident)
        self.spans.append(span)
        self._open.append(span)
        if name == SWEEP:
            self._clock.start()
        try:
            with self.then.phase(name):
                yield
        finally:
            if name == SWEEP:
                self._clock.switch()
            span.end_mb = self._look()
            span.end = self.now()
            span.cpu = time.process_time() - span.cpu_begin
            self._open.pop()
            if name == SWEEP:
                self._share_out(span)

    def _share_out(self, whole: Span) -> None:
        """The parts of a round as spans, one behind the other."""
        begin = whole.begin
        for name, (wall, cpu, visits) in sorted(self._clock.totals.items(), key=lambda item: -item[1][0]):
            part = Span(name, (*whole.path, name), begin, 0.0, whole.begin_mb, whole.peak_mb, begin + wall, cpu,
                        whole.end_mb, int(visits))
            begin += wall
            self.spans.append(part)

    def step(self, stage: str, done: int, total: int) -> None:
        self.then.step(stage, done, total)

    def nodes(self, loop: str, count: int) -> None:
        self.counts.append((self.now(), loop, count))
        self.then.nodes(loop, count)

    def watch(self, driver: Driver, ctx: Inference) -> None:
        clock = self._clock
        infer = clock.timed("InferShapes", Inference.infer)

        class TimedInference(Inference):
            """The same inference, with its time counted."""

            __slots__ = ()

            def infer(self, node: Node) -> None:
                infer(self, node)

        ctx.__class__ = TimedInference
        if driver.fold is not None:
            driver.fold = clock.timed("FoldKernels", driver.fold)
        self.then.watch(driver, ctx)

    def before_session(self, options: Any) -> None:
        prefix = self.wanted.ort_profile
        if self._folder is not None:
            prefix = os.path.join(self._folder.name, "session")
        if prefix is not None:
            options.enable_profiling = True
            options.profile_file_prefix = f"{prefix}_{len(self.sessions) + len(self._waiting)}"
            self._waiting.append(self.now())
        self.then.before_session(options)

    def after_session(self, session: Any) -> None:
        if self._waiting:
            self.sessions.append(Session(self._waiting.pop(), session.end_profiling()))
        self.then.after_session(session)

    def close(self) -> None:
        """Remove what onnxruntime left for merging."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
