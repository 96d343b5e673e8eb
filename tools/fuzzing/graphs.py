"""Random models one seed after another: each is simplified, and compared with itself in every way that matters."""

import faulthandler
import json
import warnings
from typing import Any

import onnx

from onnxsim_testkit.fuzzing import RandomModel, Reject, as_text, examine, random_graph, reduced

SECONDS = 60
REDUCING = 300


def simplify(model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    from onnxsim_core import simplify

    return simplify(model, **options).model


def work(first: int, last: int, families: tuple[str, ...]) -> None:
    """Examine the seeds, one line of JSON each; before a model is grown, and before it is examined, a line says so."""
    warnings.simplefilter("ignore")
    for seed in range(first, last):
        print(json.dumps({"begun": seed, "growing": True}), flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        outcome: dict[str, Any] = {"seed": seed}
        try:
            case = random_graph(seed, families=families)
        except Reject:
            outcome["rejected"] = "nothing came of it"
        except Exception as error:  # noqa: BLE001  the model that was grown does not run as a whole
            outcome["rejected"] = type(error).__name__
        else:
            print(json.dumps({"begun": seed}), flush=True)
            simplified, fault = examine(case, simplify, seed)
            outcome |= {"fault": fault, "before": len(case.model.graph.node), "after": len(simplified.graph.node)}
        print(json.dumps(outcome), flush=True)
    faulthandler.cancel_dump_traceback_later()


def show(seed: int, families: tuple[str, ...]) -> None:
    """Reduce the model of a seed as long as the same goes wrong, some minutes at most, and print it."""
    case = random_graph(seed, families=families)

    def kind(smaller: RandomModel) -> str:
        fault = examine(smaller, simplify, seed)[1]
        stage, _, rest = fault.partition(": ")
        return f"{stage} {rest.split(':')[0]} {_sort(rest)}" if fault else ""

    wanted = kind(case)
    if not wanted:
        print("nothing is wrong with this seed")
        return
    smallest = reduced(case, lambda smaller: kind(smaller) == wanted, REDUCING)
    print(as_text(smallest))
    print(examine(smallest, simplify, seed)[1])


def _sort(fault: str) -> str:
    return next((word for word in ("checker", "does not run", "elements", "shape", "became") if word in fault), "")
