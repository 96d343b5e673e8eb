import check_layers
import pytest

RULES = """
[onnxsim-core]
layers = [["errors"], ["ir"], ["lower", "check"], ["cli"]]
siblings = []
modules = ["onnx"]
lazy = ["rich"]
[onnxsim-x]
layers = []
siblings = ["onnxsim-core"]
modules = []
lazy = []
"""
CORE = "packages/onnxsim-core/src/onnxsim_core"


@pytest.fixture
def found(workspace):
    """Check one module of the core; gives the findings about it."""

    def check(path, text):
        workspace.add("onnxsim-core")
        workspace.add("onnxsim-x", dependencies=("onnxsim-core>=0.9,<0.10",))
        workspace.write("tools/layers.toml", RULES)
        workspace.write(path, text)
        return [f"{problem.line}: {problem.text}" for problem in check_layers.check(workspace.root)]

    return check


@pytest.mark.parametrize(
    "text",
    [
        "import os\nimport onnx.helper\nfrom ..errors import ModelError\nfrom .graph import Graph\n",
        "from .. import errors, _version\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..cli import main\n    import rich\n",
        "def show():\n    import rich.table\n",
        "class A:\n    def f(self):\n        try:\n            import rich\n        finally:\n            pass\n",
    ],
)
def test_what_the_ir_may_import(found, text):
    assert found(f"{CORE}/ir/read.py", text) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("\nfrom ..cli.main import main\n", "2: ir must not import cli"),
        ("def f():\n    from .. import check\n", "2: ir must not import check"),
        ("from ..extra import x\n", "1: 'extra' is no layer in tools/layers.toml"),
        (
            "from onnxsim_core.errors import ModelError\n",
            "1: imports onnxsim_core.errors by its absolute name: a copy under another name would break",
        ),
        ("import onnxsim_x\n", "1: imports onnxsim-x, which is no sibling below"),
        ("import torch\n", "1: imports torch, which this distribution does not require"),
        ("def f():\n    import torch\n", "2: imports torch, which this distribution does not require"),
        ("try:\n    import rich\nexcept ImportError:\n    rich = None\n",
         "2: imports rich when loaded: do it inside the function that needs it"),
        ("try:\n    pass\nexcept ImportError:\n    import rich\n",
         "4: imports rich when loaded: do it inside the function that needs it"),
        ("import importlib.metadata\n", "1: reads package metadata"),
    ],
)  # fmt: skip
def test_what_the_ir_must_not_import(found, text, finding):
    assert found(f"{CORE}/ir/read.py", text) == [finding]


def test_layers_side_by_side_do_not_import_each_other(found):
    assert found(f"{CORE}/check/compare.py", "from ..lower import registry\n") == ["1: check must not import lower"]


def test_the_package_itself_may_import_any_layer(found):
    assert found(f"{CORE}/__init__.py", "from .cli import main\n") == []


def test_a_folder_that_is_no_layer(found):
    assert found(f"{CORE}/extra/x.py", "") == ["0: 'extra' is no layer in tools/layers.toml"]


def test_a_sibling_may_import_the_core_by_its_name(found, workspace):
    workspace.write("packages/onnxsim-core/src/onnxsim_start.py", "")

    text = "import onnxsim_core.ir\nfrom onnxsim_start import main\n"
    assert found("packages/onnxsim-x/src/onnxsim_x/plugin.py", text) == []


@pytest.mark.parametrize(
    ("text", "extra", "findings"),
    [
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import onnxsim_y\n", "onnxsim-y", []),
        ("import onnxsim_y\n", "onnxsim-y", ["imports onnxsim-y, which is no sibling below"]),
        ("", "onnxruntime", ["may show onnxsim-y to type checkers but no extra brings it"]),
    ],
)
def test_a_sibling_of_an_extra_is_shown_to_type_checkers_only(workspace, text, extra, findings):
    workspace.add("onnxsim-core")
    workspace.add("onnxsim-x", dependencies=("onnxsim-core>=0.9,<0.10",), extra=extra)
    workspace.add("onnxsim-y")
    table = 'layers = []\nsiblings = []\nmodules = []\nlazy = []\n'
    rules = RULES + 'extras = ["onnxsim-y"]\n' + f"[onnxsim-y]\n{table}"
    workspace.write("tools/layers.toml", rules)
    workspace.write("packages/onnxsim-x/src/onnxsim_x/__init__.py", text)

    assert [problem.text for problem in check_layers.check(workspace.root)] == findings


def test_a_distribution_without_a_table_and_an_undeclared_sibling(workspace):
    workspace.add("onnxsim-core")
    workspace.add("onnxsim-x")
    workspace.add("onnxsim-y")
    workspace.write("tools/layers.toml", RULES)

    assert [str(problem) for problem in check_layers.check(workspace.root)] == [
        "packages/onnxsim-x/pyproject.toml: may import onnxsim-core but does not depend on it [layers]",
        "tools/layers.toml: says nothing about onnxsim-y [layers]",
    ]
