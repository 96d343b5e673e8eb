"""What a run tells about itself while it goes: phases, rounds, bytes, sessions.

The pipeline calls these at its phase boundaries. Everything here does nothing; the profile and the progress line
override what they want to know.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..rewrite.driver import Driver

_NOTHING: AbstractContextManager[Any] = nullcontext()


class Phases:
    """Listener to one run of `simplify()`. This one ignores everything."""

    records = False
    """Does it profile the run?"""

    def phase(self, name: str) -> AbstractContextManager[Any]:
        """Entered when the phase begins, left when it ends; phases nest."""
        return _NOTHING

    def step(self, stage: str, done: int, total: int) -> None:
        """A stage got this far: `reading`, `simplifying` (rounds), `checking` (runs), `writing` (bytes); 0: unknown."""

    def nodes(self, loop: str, count: int) -> None:
        """The graph holds so many nodes after a round of a loop: `Initial`, `Optimize`, `FoldConstant`, `Rewrite`."""

    def watch(self, driver: Driver, ctx: Inference) -> None:
        """The engine is about to start."""

    def before_session(self, options: Any) -> None:
        """An onnxruntime session is about to be made with these SessionOptions."""

    def after_session(self, session: Any) -> None:
        """That onnxruntime session has done its work."""


NO_PHASES = Phases()
