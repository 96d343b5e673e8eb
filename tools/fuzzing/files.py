"""Damaged files one seed after another: the outcome is a model or an `OnnxsimError`, soon and in little memory."""

import faulthandler
import json
import os
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random

from onnxsim_testkit.fuzzing import Reject, random_graph
from onnxsim_testkit.fuzzing.hostile import mutated

SECONDS = 20
MEBIBYTES = 1024
BASES = 40


def bases() -> list[bytes]:
    """Valid small models to begin with."""
    found: list[bytes] = []
    seed = 0
    while len(found) < BASES:
        try:
            data = random_graph(seed, nodes=8).model.SerializeToString()
        except Reject:
            pass
        else:
            if len(data) < 20_000:
                found.append(data)
        seed += 1
    return found


def outcome(data: bytes, folder: Path) -> str:
    """What is wrong with how a file is treated, or nothing."""
    from onnxsim_core import OnnxsimError, simplify

    source, target = folder / "model.onnx", folder / "out.onnx"
    source.write_bytes(data)
    before = sorted(folder.iterdir())
    begun = time.monotonic()
    fault = ""
    try:
        result = simplify(data) if data[-1:] > b"\x80" else simplify(source, output_path=target)
        result.model.SerializeToString()
    except OnnxsimError:
        pass
    except (Exception, RecursionError) as error:  # noqa: BLE001  whatever else it is, it is the finding
        fault = f"{type(error).__name__}: {' '.join(str(error).split())[:200]} {_place(error)}"
    if time.monotonic() - begun > SECONDS:
        fault = f"it took {time.monotonic() - begun:.0f} s"
    if source.read_bytes() != data:
        fault = "the input file was changed"
    made = [path for path in sorted(folder.iterdir()) if path not in before]
    if [path for path in made if not path.name.startswith("out.onnx")]:
        fault = f"files were made: {made}"
    for path in made:
        path.unlink()
    return fault


def _place(error: BaseException) -> str:
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return "" if place is None else f"({Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno})"


def work(first: int, last: int) -> None:
    """Try the seeds, one line of JSON each; before a seed is begun a line says so."""
    warnings.simplefilter("ignore")
    faulthandler.enable()
    starts = bases()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory(prefix="onnxsim-fuzz-") as name:
        folder = Path(name)
        os.chdir(folder)
        for seed in range(first, last):
            print(json.dumps({"begun": seed}), flush=True)
            faulthandler.dump_traceback_later(2 * SECONDS, exit=True)
            rng = Random(seed)
            data = mutated(rng.choice(starts), rng)
            fault = outcome(data, folder)
            now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if now - peak > MEBIBYTES << 10:
                fault = fault or f"it took {(now - peak) >> 10} MiB"
            peak = max(peak, now)
            print(json.dumps({"seed": seed, "fault": fault}), flush=True)
    faulthandler.cancel_dump_traceback_later()


def show(seed: int) -> None:
    """Write the file of a seed to hostile.onnx and say what comes of it."""
    rng = Random(seed)
    data = mutated(rng.choice(bases()), rng)
    Path("hostile.onnx").write_bytes(data)
    print(f"{len(data)} bytes are in hostile.onnx")
    faulthandler.enable()
    with tempfile.TemporaryDirectory(prefix="onnxsim-fuzz-") as name:
        print(outcome(data, Path(name)) or "a model or an OnnxsimError")


def cover(seconds: int) -> None:
    """Let atheris look for files that lead to code no other one led to; needs `pip install atheris`."""
    import atheris

    with atheris.instrument_imports(include=["onnxsim_core"]):
        import onnxsim_core.api  # noqa: F401
        from onnxsim_core import ops
    ops.load()
    folder = tempfile.mkdtemp(prefix="onnxsim-fuzz-")
    os.chdir(folder)
    corpus = Path(folder) / "corpus"
    corpus.mkdir()
    for number, data in enumerate(bases()):
        (corpus / str(number)).write_bytes(data)
    place = Path(folder) / "run"
    place.mkdir()

    def change(data: bytes, largest: int, seed: int) -> bytes:
        return mutated(data, Random(seed))[:largest]

    def test_one(data: bytes) -> None:
        fault = outcome(data, place)
        if fault:
            raise RuntimeError(fault)

    limits = [f"-max_total_time={seconds}", f"-timeout={2 * SECONDS}", "-rss_limit_mb=4096", "-max_len=100000"]
    arguments = [sys.argv[0], *limits, str(corpus)]
    _setup(atheris.Setup, arguments, test_one, change)
    atheris.Fuzz()


def _setup(setup: Callable[..., object], arguments: list[str], test_one: object, change: object) -> None:
    setup(arguments, test_one, custom_mutator=change)
