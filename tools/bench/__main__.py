"""`python -m bench [scale] [weights] [sparse] [start]`: measure, print, and compare with an earlier run."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .measure import TOOLS, measure

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "just_reshape.onnx"
# A measurement as (what, value, unit); smaller is better in all of them.
Row = tuple[str, float, str]


def write(kind: str, path: Path, *arguments: str) -> int:
    """Write a model in a process of its own; gives the number of its nodes."""
    command = [sys.executable, "-m", "bench.models", kind, str(path), *arguments]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def scale(folder: Path, tools: list[str], sizes: list[int]) -> Iterator[Row]:
    """Time per input node on growing chains, and how the time grows from 8k to 32k nodes."""
    for dynamic in (False, True):
        family = "dynamic" if dynamic else "static"
        walls: dict[tuple[str, int], float] = {}
        for size in sizes:
            source = folder / f"{family}_{size}.onnx"
            nodes = write("chain", source, str(size), family)
            for tool in tools:
                run = measure(tool, source, folder / "out.onnx", EXAMPLE)
                walls[tool, size] = run.wall_s
                yield f"scale/{family}/{nodes}/{tool}", run.wall_s / nodes * 1e6, "us/node"
            source.unlink()
        for tool in tools:
            if (tool, 8_000) in walls and (tool, 32_000) in walls:
                yield f"scale/{family}/32k:8k/{tool}", walls[tool, 32_000] / walls[tool, 8_000], "times"


def weights(folder: Path, tools: list[str], megabytes: int) -> Iterator[Row]:
    """Time and memory for a file that is almost all weights."""
    source = folder / "heavy.onnx"
    write("heavy", source, str(megabytes))
    for tool in tools:
        run = measure(tool, source, folder / "out.onnx", EXAMPLE, repeat=2)
        yield f"weights/{megabytes}MB/{tool}/time", run.wall_s, "s"
        yield f"weights/{megabytes}MB/{tool}/peak", run.peak_mib, "MiB"
        yield f"weights/{megabytes}MB/{tool}/above idle", run.peak_mib - run.idle_mib, "MiB"


def sparse(folder: Path, gigabytes: int) -> Iterator[Row]:
    """Time, memory and room on disk for external weights that are almost all holes."""
    source = folder / "sparse.onnx"
    write("sparse", source, str(gigabytes))
    run = measure("onnxsim", source, folder / "out.onnx", EXAMPLE, repeat=2)
    data = (folder / "out.onnx.data").stat()
    assert data.st_size == (folder / "sparse.onnx.data").stat().st_size
    yield f"sparse/{gigabytes}GB/time", run.wall_s, "s"
    yield f"sparse/{gigabytes}GB/peak", run.peak_mib, "MiB"
    yield f"sparse/{gigabytes}GB/on disk", data.st_blocks / 2048, "MiB"


def start(folder: Path) -> Iterator[Row]:
    """What a user waits for: the help, and a small model, with everything that is imported for it."""
    for name, arguments in (("help", ["--help"]), ("small model", [str(EXAMPLE), str(folder / "out.onnx")])):
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-m", "onnxsim_core", *arguments], check=True, capture_output=True)
            times.append(time.perf_counter() - begin)
        yield f"start/{name}", min(times), "s"


def compare(rows: dict[str, float], stored: Path) -> None:
    """Print what changed by more than a tenth since the stored run."""
    old = json.loads(stored.read_text(encoding="utf-8"))
    for name, value in rows.items():
        if name in old and not 0.9 < value / old[name] < 1.1:
            print(f"{name}: {old[name]:.3g} -> {value:.3g} ({value / old[name]:.2f} times)")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("what", nargs="*", choices=["scale", "weights", "sparse", "start", []], help="all when none is named")
    parser.add_argument("--tools", default="onnxsim,load+save", help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--sizes", default="500,2000,8000,32000", help="nodes of the chains")
    parser.add_argument("--megabytes", type=int, default=1000, help="weights of the heavy model")
    parser.add_argument("--gigabytes", type=int, default=20, help="weights of the sparse model")
    parser.add_argument("--save", type=Path, help="write the measurements to this file")
    parser.add_argument("--against", type=Path, help="compare with measurements saved before on the same machine")
    options = parser.parse_args()
    what = options.what or ["scale", "weights", "sparse", "start"]
    tools = options.tools.split(",")
    rows: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="onnxsim-bench-") as name:
        folder = Path(name)
        parts = {
            "scale": lambda: scale(folder, tools, [int(size) for size in options.sizes.split(",")]),
            "weights": lambda: weights(folder, tools, options.megabytes),
            "sparse": lambda: sparse(folder, options.gigabytes),
            "start": lambda: start(folder),
        }
        for part in what:
            for label, value, unit in parts[part]():
                rows[label] = value
                print(f"{label:48} {value:12.3f} {unit}", flush=True)
    if options.against:
        compare(rows, options.against)
    if options.save:
        options.save.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
