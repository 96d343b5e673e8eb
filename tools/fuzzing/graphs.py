"""Random models one seed after another, in a process of their own that may end badly."""

import json
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

from onnxsim_testkit.fuzzing import RandomModel, Reject, as_text, examine, random_graph, reduced

SECONDS_PER_SEED = 60
CHUNK = 500


def simplify(model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    from onnxsim_core import simplify

    return simplify(model, **options).model


def work(first: int, last: int, families: tuple[str, ...]) -> None:
    """Examine the seeds, one line of JSON each; before a seed is begun a line says so."""
    import faulthandler

    warnings.simplefilter("ignore")
    for seed in range(first, last):
        print(json.dumps({"begun": seed}), flush=True)
        faulthandler.dump_traceback_later(SECONDS_PER_SEED, exit=True)
        outcome: dict[str, Any] = {"seed": seed}
        try:
            case = random_graph(seed, families=families)
        except Reject:
            outcome["rejected"] = "nothing came of it"
        except Exception as error:  # noqa: BLE001  the model that was grown does not run as a whole
            outcome["rejected"] = type(error).__name__
        else:
            simplified, fault = examine(case, simplify, seed)
            outcome |= {"fault": fault, "before": len(case.model.graph.node), "after": len(simplified.graph.node)}
        print(json.dumps(outcome), flush=True)
    faulthandler.cancel_dump_traceback_later()


def outcomes(first: int, count: int, seconds: float, families: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Examine `count` seeds or as many as the time allows; what ends or hangs the process is a fault of its seed."""
    end = time.monotonic() + seconds
    seed, last = first, first + count
    while seed < last and time.monotonic() < end:
        command = [sys.executable, "-m", "fuzzing", "work", str(seed), str(min(last, seed + CHUNK)), ",".join(families)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            begun = None
            assert child.stdout is not None and child.stderr is not None
            for line in child.stdout:
                found = json.loads(line)
                if "begun" in found:
                    begun = found["begun"]
                    if time.monotonic() > end:
                        child.kill()
                        return
                    continue
                begun = None
                seed = found["seed"] + 1
                yield found
            error = child.stderr.read()
        if begun is not None:
            seed = begun + 1
            yield {"seed": begun, "fault": f"the process ended: {' '.join(error.split())[-300:]}"}
        elif child.returncode:
            raise SystemExit(error)


def session(first: int, count: int, seconds: float, families: tuple[str, ...], log: Path | None) -> int:
    """Run and print what goes wrong; gives the number of faults."""
    totals: Counter[str] = Counter()
    for found in outcomes(first, count, seconds, families):
        if "rejected" in found:
            totals["rejected"] += 1
            continue
        totals["models"] += 1
        totals["nodes before"] += found.get("before", 0)
        totals["nodes after"] += found.get("after", 0)
        if found["fault"]:
            totals["faults"] += 1
            text = f"seed {found['seed']}: {found['fault']}"
            print(text, flush=True)
            if log:
                with log.open("a", encoding="utf-8") as file:
                    file.write(text + "\n")
    print(", ".join(f"{name} {number}" for name, number in totals.items()), flush=True)
    return totals["faults"]


def show(seed: int, families: tuple[str, ...]) -> None:
    """Reduce the model of a seed as long as the same goes wrong, and print it."""
    case = random_graph(seed, families=families)

    def kind(smaller: RandomModel) -> str:
        fault = examine(smaller, simplify, seed)[1]
        stage, _, rest = fault.partition(": ")
        return f"{stage} {rest.split(':')[0]} {_sort(rest)}" if fault else ""

    wanted = kind(case)
    if not wanted:
        print("nothing is wrong with this seed")
        return
    smallest = reduced(case, lambda smaller: kind(smaller) == wanted)
    print(as_text(smallest))
    print(examine(smallest, simplify, seed)[1])


def _sort(fault: str) -> str:
    return next((word for word in ("checker", "does not run", "elements", "shape", "became") if word in fault), "")
