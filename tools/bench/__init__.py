"""Measurements of whole runs: `nox -s bench`, or `python -m bench` from tools/; see docs/how-to/benchmark.md."""
