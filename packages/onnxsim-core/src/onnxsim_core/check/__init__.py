"""Is the simplified model equal to the original? Both run on the same seeded inputs and their outputs are compared."""

from .equality import check_equal
from .result import CheckResult, Mismatch

__all__ = ["CheckResult", "Mismatch", "check_equal"]
