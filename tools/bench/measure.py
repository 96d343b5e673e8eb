"""One measured run: a fresh process, its imports done before the clock starts."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# What each tool does from path to path. The clock starts after the imports and a first tiny run.
TOOLS = {
    "onnxsim": "from onnxsim_core import simplify\ndef go(a, b): simplify(a, output_path=b)",
    "load+save": "import onnx\ndef go(a, b): onnx.save(onnx.load(a), b)",
    "ort-basic": """import onnxruntime as ort
def go(a, b):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = b
    ort.InferenceSession(a, options, providers=["CPUExecutionProvider"])""",
}
CHILD = """
import json, resource, sys, time
{tool}
warm, source, target = sys.argv[1:]
go(warm, target)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, cpu = time.perf_counter(), time.process_time()
go(source, target)
wall_s, cpu_s = time.perf_counter() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps(dict(wall_s=wall_s, cpu_s=cpu_s, peak_kib=peak, idle_kib=before)))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """The best of some runs by wall time, and the highest peak of memory."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    idle_mib: float


def measure(tool: str, source: Path, target: Path, warm: Path, repeat: int = 3) -> Run:
    """Run a tool from `source` to `target`; `warm` is a tiny model that takes the costs of a first run."""
    runs = []
    for _ in range(repeat):
        command = [sys.executable, "-c", CHILD.format(tool=TOOLS[tool]), str(warm), str(source), str(target)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    best = min(runs, key=lambda run: float(run["wall_s"]))
    peak = max(float(run["peak_kib"]) for run in runs)
    return Run(best["wall_s"], best["cpu_s"], peak / 1024, best["idle_kib"] / 1024)
