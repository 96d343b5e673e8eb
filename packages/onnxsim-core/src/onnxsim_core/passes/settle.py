"""What is settled once before the rounds: local functions put in place of their calls, and the operator set."""

from __future__ import annotations

from ..functions.inline import inline_calls
from ..ir.graph import Model
from ..options import SimplifyOptions
from .engine import Report


def settle(model: Model, options: SimplifyOptions, report: Report) -> None:
    """Inline functions and convert to another operator set, as far as each is wanted.

    Raises:
        ModelError: a function calls itself, or a node cannot be written for the operator set.
    """
    if options.inline_functions and model.functions:
        count = len(model.functions)
        inline_calls(model)
        report.fired["inline_functions"] = count - len(model.functions)
