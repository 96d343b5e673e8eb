"""The verdict of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One output that differs: by how much, or in what else (shape, dtype, NaN pattern).

    No output is named when the model does not run at all.
    """

    output: str
    run: int
    reason: str
    max_abs: float = 0.0
    max_rel: float = 0.0

    def __str__(self) -> str:
        if not self.output:
            return self.reason
        text = f"output {self.output!r} differs in run {self.run}: {self.reason}"
        if self.max_abs or self.max_rel:
            text += f" (max abs {self.max_abs:.3g}, max rel {self.max_rel:.3g})"
        return text


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a comparison found. `sizes` are the concrete sizes symbolic dimensions were given."""

    runs: int
    mismatches: tuple[Mismatch, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.mismatches

    def __str__(self) -> str:
        if self.ok:
            return f"equal on {self.runs} random input{'s' if self.runs != 1 else ''}"
        return "; ".join(str(m) for m in self.mismatches[:3])
