"""What importing the package loads, and what starting the command does not."""

import subprocess
import sys


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_the_engine():
    loaded = modules_after("import onnxsim_core")
    assert {"onnx", "onnxsim_core.passes.fuse_bn_into_conv", "onnxsim_core.ops.layout"} <= loaded


def test_the_engine_needs_no_optional_package():
    assert not {"onnxruntime", "rich", "matplotlib", "onnxoptimizer"} & modules_after("import onnxsim_core")


def test_starting_the_command_loads_neither_onnx_nor_numpy():
    loaded = modules_after("import onnxsim_command, onnxsim_core.cli.main")
    assert not {"onnx", "numpy", "onnxsim_core.engine"} & loaded


def test_simplify_is_there_for_the_command_when_asked_for():
    loaded = modules_after("import onnxsim_command, onnxsim_core; assert callable(onnxsim_core.simplify)")
    assert "onnxsim_core.api" in loaded
