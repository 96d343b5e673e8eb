"""A long run of seeds, in processes of their own that may end badly."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

CHUNK = 500


def outcomes(what: str, first: int, count: int, seconds: float, families: str) -> Iterator[dict[str, Any]]:
    """Work through `count` seeds or as many as the time allows.

    What ends or hangs the process is a fault of its seed, unless a model was still growing: no code of ours runs then.
    """
    end = time.monotonic() + seconds
    seed, last = first, first + count
    while seed < last and time.monotonic() < end:
        chunk = [str(seed), str(min(last, seed + CHUNK))]
        command = [sys.executable, "-m", "fuzzing", "work", what, *chunk, families]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None and child.stderr is not None
            begun, growing = None, False
            for line in child.stdout:
                if not line.startswith("{"):
                    continue  # onnx's own libraries print what they do not like
                found = json.loads(line)
                begun, growing = found.get("begun"), found.get("growing", False)
                if begun is None:
                    seed = found["seed"] + 1
                    yield found
                elif time.monotonic() > end:
                    child.kill()
                    return
            error = child.stderr.read()
        if begun is not None:
            seed = begun + 1
            kind = "rejected" if growing else "fault"
            yield {"seed": begun, kind: f"the process ended: {_essence(error)}"}
        elif child.returncode:
            raise SystemExit(error)


def _essence(error: str) -> str:
    """The last words of a process and where it was, without the rest of the trace."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("File")), "")
    places = [line for line in lines if line.startswith("File") and "site-packages" not in line][:3]
    return " | ".join([first[:200], *places])


def session(found: Iterable[dict[str, Any]], log: Path | None) -> int:
    """Print what goes wrong, and in the end how much was done; gives the number of faults."""
    totals: Counter[str] = Counter()
    for outcome in found:
        if "rejected" in outcome:
            totals["rejected"] += 1
            continue
        totals["tried"] += 1
        totals["nodes before"] += outcome.get("before", 0)
        totals["nodes after"] += outcome.get("after", 0)
        if outcome["fault"]:
            totals["faults"] += 1
            text = f"seed {outcome['seed']}: {outcome['fault']}"
            print(text, flush=True)
            if log:
                with log.open("a", encoding="utf-8") as file:
                    file.write(text + "\n")
    print(", ".join(f"{name} {number}" for name, number in totals.items() if number), flush=True)
    return totals["faults"]
