"""Entry point of the `onnxsim` command.

Importing `onnxsim_core` loads the whole engine, so that the first `simplify()` is as fast as the next. A command that
may only have to print its help must not wait for that: while this module is loaded, the package loads the engine when
it is first used.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code."""
    from onnxsim_core.cli.main import main as run

    return run(argv)
