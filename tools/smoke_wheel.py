"""Prove that built distributions work where the workspace is not: install the wheels and use them as a user would.

    python tools/smoke_wheel.py DIST WHEELS

WHEELS is a folder with the sdist and the wheel of DIST and of every sibling it needs. Everything happens in a fresh
environment in a fresh folder outside the repository.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from source_tree import ROOT, Distribution, distributions

SDIST_ROOT = {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO", ".gitignore", "src"}
PROBE = """
import sys, importlib, importlib.metadata
import onnxsim_command  # siblings must not load the engine for a command that only prints its help
package, name = sys.argv[1:]
module = importlib.import_module(package)
assert package != "onnxsim" or "onnx" not in sys.modules, "import onnxsim imports onnx"
assert module.__version__ == importlib.metadata.version(name), (module.__version__, importlib.metadata.version(name))
import onnx
model = onnx.load("simplified.onnx")
onnx.checker.check_model(model, full_check=True)
assert [node.op_type for node in model.graph.node] == ["Reshape"], [node.op_type for node in model.graph.node]
assert [list(d.dim_value for d in v.type.tensor_type.shape.dim) for v in model.graph.output] == [[2, 3, 5, 4]]
"""

# What the `onnxsim` command does only with a distribution, found by entry points: run after the example is simplified.
ADDED = {
    "onnxsim-archives": (
        ("simplified.onnx", "again.onnx.safetensors"),
        ("again.onnx.safetensors", "again.onnx.gguf"),
        ("archive", "import", "again.onnx.gguf", "simplified.onnx"),
    ),
}


def check_contents(dist: Distribution, wheels: Path) -> None:
    """The archives hold the modules under src/, the type marker and the licence, and nothing else of the repository."""
    stem = f"{dist.import_package}-{dist.version}"
    with zipfile.ZipFile(wheels / f"{stem}-py3-none-any.whl") as wheel:
        names = wheel.namelist()
    tops = {name.split("/")[0] for name in names}
    own = {path.name for path in (dist.folder / "src").iterdir() if path.name != "__pycache__"}
    assert tops == {*own, f"{stem}.dist-info"}, tops
    assert f"{dist.import_package}/py.typed" in names, "the wheel has no py.typed"
    assert f"{stem}.dist-info/licenses/LICENSE" in names, "the wheel has no licence"
    with tarfile.open(wheels / f"{stem}.tar.gz") as sdist:
        inside = {name.split("/")[1] for name in sdist.getnames() if "/" in name}
    assert inside <= SDIST_ROOT, f"the sdist holds {sorted(inside - SDIST_ROOT)}"


def smoke(dist: Distribution, wheels: Path) -> None:
    """Install, run the command on the example, import the package, look at the result."""
    check_contents(dist, wheels)
    with tempfile.TemporaryDirectory(prefix="onnxsim-wheel-") as folder:
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        scripts = Path(folder) / "env" / ("Scripts" if os.name == "nt" else "bin")
        python = str(scripts / "python")

        def run(*command: str) -> str:
            done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
            if done.returncode:
                raise SystemExit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        run("uv", "venv", "--python", sys.executable, "env")
        wheel = str(wheels / f"{dist.import_package}-{dist.version}-py3-none-any.whl")
        run("uv", "pip", "install", "--python", python, "--find-links", str(wheels), wheel)
        example = str(ROOT / "examples" / "just_reshape.onnx")
        print(run(str(scripts / "onnxsim"), example, "simplified.onnx"))
        for words in ADDED.get(dist.name, ()):
            print(run(str(scripts / "onnxsim"), *words))
        run(python, "-m", dist.import_package, "--help")
        run(python, "-I", "-c", PROBE, dist.import_package, dist.name)


def main() -> int:
    name, wheels = sys.argv[1], Path(sys.argv[2]).resolve()
    smoke(next(dist for dist in distributions() if dist.name == name), wheels)
    print(f"{name}: the wheel works outside the workspace")
    return 0


if __name__ == "__main__":
    sys.exit(main())
