"""Is the simplified model equal to the original? Both run on the same seeded inputs and their outputs are compared."""

from .equality import Reference, check_equal
from .result import CheckResult, Mismatch

__all__ = ["CheckResult", "Mismatch", "Reference", "check_equal"]
