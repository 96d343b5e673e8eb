"""Random models with everything that makes rewriting hard, the checks that simplifying must pass, and a reducer."""

from .case import RandomModel
from .checking import Mismatch, check, examine
from .growing import Reject
from .models import FAMILIES, random_graph
from .reducing import as_text, reduced

__all__ = ["FAMILIES", "Mismatch", "RandomModel", "Reject", "as_text", "check", "examine", "random_graph", "reduced"]
