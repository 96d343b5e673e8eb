import vendor_copy

TEST = """import onnxsim_core.ir as ir
from onnxsim_core import simplify
COMMAND = ["-m", "onnxsim_core"]
PATH = "src/onnxsim_core/ir"
OTHER = my.onnxsim_core, onnxsim_core_extra
"""


def test_the_source_is_copied_as_it_is_and_the_tests_are_renamed(workspace, tmp_path):
    workspace.add("onnxsim-core")
    source = "import os\nNAME = 'onnxsim_core'\n"
    workspace.write("packages/onnxsim-core/src/onnxsim_core/ir/read.py", source)
    workspace.write("packages/onnxsim-core/src/onnxsim_start.py", "from onnxsim_core.cli import main\n")
    workspace.write("packages/onnxsim-core/tests/ir/test_read.py", TEST)
    workspace.write("packages/onnxsim-core/tests/data/model.txt", "onnxsim_core\n")
    workspace.write("packages/onnxsim-core/tests/ir/test_far.py", "def test():\n    import not_there.x\n")
    workspace.write("packages/onnxsim-core/tests/ops/judging.py", "import numpy\nimport widely\n")
    workspace.write("packages/onnxsim-core/tests/widely.py", "from ops import judging\n")
    workspace.write("packages/onnxsim-core/tests/far.py", "def f():\n    import not_there_either\n")
    workspace.write("packages/onnxsim-core/tests/ir/test_judged.py", "from ops.judging import judge\n")
    workspace.write("packages/onnxsim-core/tests/ir/test_through.py", "import far\n")
    workspace.write("tools/testkit/src/onnxsim_testkit/__init__.py", "from onnxsim_core.ir import Graph\n")
    workspace.write("pyproject.toml", 'pythonpath = ["tools", "packages/onnxsim-core/tests"]')
    target = tmp_path / "target"

    left_out = vendor_copy.vendor(target, workspace.root)

    assert left_out == ["ir/test_far.py (needs not_there)", "ir/test_through.py (needs not_there_either)"]
    assert (target / "tests/ir/test_judged.py").exists()
    assert (target / "acme/_vendor/onnxsim_core/ir/read.py").read_text() == source
    assert (target / "acme/_vendor/__init__.py").exists()
    assert (target / "pyproject.toml").read_text() == 'pythonpath = ["tools", "tests"]'
    assert (target / "tests/data/model.txt").read_text() == "onnxsim_core\n"
    assert not (target / "tests/ir/test_far.py").exists()
    assert (target / "onnxsim_start.py").read_text() == "from acme._vendor.onnxsim_core.cli import main\n"
    assert (target / "onnxsim_testkit/__init__.py").read_text() == "from acme._vendor.onnxsim_core.ir import Graph\n"
    assert (target / "tests/ir/test_read.py").read_text() == (
        "import acme._vendor.onnxsim_core.ir as ir\n"
        "from acme._vendor.onnxsim_core import simplify\n"
        'COMMAND = ["-m", "acme._vendor.onnxsim_core"]\n'
        'PATH = "src/onnxsim_core/ir"\n'
        "OTHER = my.onnxsim_core, onnxsim_core_extra\n"
    )
