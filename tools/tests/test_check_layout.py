import check_layout
import pytest

SOURCE = "packages/onnxsim-x/src/onnxsim_x"


@pytest.fixture
def found(workspace):
    """Check a distribution with the given files; gives each finding as text."""

    def check(**files):
        workspace.add("onnxsim-x")
        for path, text in files.items():
            workspace.write(path, text)
        return [str(problem) for problem in check_layout.check(workspace.root)]

    return check


def test_a_tidy_tree_has_no_findings(found):
    tests = "packages/onnxsim-x/tests/ops"
    assert found(**{
        f"{SOURCE}/ops/layout.py": "def f():\n    return 1\n",
        f"{tests}/test_layout.py": "",
        f"{tests}/test_layout_slice.py": "",
        "packages/onnxsim-x/tests/models/test_resnet.py": "",
    }) == []  # fmt: skip


def test_a_long_module_function_and_rule(found):
    long_function = "def f():\n" + "    x = 1\n" * 60
    rule = "@rewrites('fuse', root='Add')\ndef rule():\n" + "    x = 1\n" * 40
    documented = 'def g():\n    """Say.\n' + "\n" * 10 + '    """\n' + "    x = 1\n" * 59

    assert found(**{
        f"{SOURCE}/big.py": "x = 1\n" * 401,
        f"{SOURCE}/__init__.py": "x = 1\n" * 61,
        f"{SOURCE}/rules.py": long_function + rule + documented,
    }) == [
        f"{SOURCE}/__init__.py: 61 lines, at most 60 [module-size]",
        f"{SOURCE}/big.py: 401 lines, at most 400 [module-size]",
        f"{SOURCE}/rules.py:1: f has 61 lines, at most 60 [function-size]",
        f"{SOURCE}/rules.py:63: rule has 41 lines, at most 40 [function-size]",
    ]  # fmt: skip


def test_modules_without_tests_and_tests_without_modules(found):
    assert found(**{
        f"{SOURCE}/ops/layout.py": "",
        "packages/onnxsim-x/tests/ops/test_lay.py": "",
    }) == [
        f"{SOURCE}/ops/layout.py: has no tests/ops/test_layout.py [mirror]",
        "packages/onnxsim-x/tests/ops/test_lay.py: tests no module of src/onnxsim_x/ops/ [mirror]",
    ]  # fmt: skip


def test_vague_names_prints_and_broad_excepts(found):
    handlers = "try:\n    pass\nexcept (ValueError, Exception):\n    pass\nexcept ValueError:\n    pass\n"
    cleaning = "try:\n    pass\nexcept BaseException:\n    close()\n    raise\n"

    assert found(**{
        f"{SOURCE}/utils.py": "",
        f"{SOURCE}/cli.py": "print(1)\n",
        f"{SOURCE}/foreign.py": handlers.replace("Exception):", "Exception):  # noqa: BLE001 - plugins raise anything"),
        f"{SOURCE}/loud.py": "print(1)\n" + handlers + cleaning,
    }) == [
        f"{SOURCE}/loud.py:1: print outside cli/ [print]",
        f"{SOURCE}/loud.py:4: catches every error: name the ones that are expected [broad-except]",
        f"{SOURCE}/utils.py: 'utils' does not say what is inside [vague-name]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("# TO" + "DO: later", "unfinished mark: # TO" + "DO: later [unfinished]"),
        ("raise NotImplemented" + "Error", "unfinished mark: raise NotImplemented" + "Error [unfinished]"),
        ("PATH = '/ho" + "me/me/x'", "path of one machine: PATH = '/ho" + "me/me/x' [foreign]"),
        ("URL = 'https://py" + "pi.org/simple'", "registry address: URL = 'https://py" + "pi.org/simple' [foreign]"),
    ],
)
def test_words_that_must_not_appear(found, line, finding):
    assert found(**{f"{SOURCE}/a.py": f"\n{line}\n"}) == [f"{SOURCE}/a.py:2: {finding}"]


def test_a_missing_file_of_the_distribution(workspace):
    workspace.add("onnxsim-x")
    (workspace.root / "packages/onnxsim-x/LICENSE").unlink()

    assert [str(problem) for problem in check_layout.check(workspace.root)] == [
        "packages/onnxsim-x: has no LICENSE [files]"
    ]


def allow(rule, path, reason):
    return f'[[allow]]\nrule = "{rule}"\npath = "{path}"\nreason = "{reason}"\n'


def test_an_allowed_finding_is_silent_and_a_stale_allowance_is_not(found):
    entries = allow("module-size", f"{SOURCE}/big.py", "one table that is read as a whole")
    stale = allow("print", f"{SOURCE}/*.py", "the progress bar writes to the terminal")

    assert found(**{f"{SOURCE}/big.py": "x = 1\n" * 600, "tools/layout_allow.toml": entries + stale}) == [
        f"tools/layout_allow.toml: allows nothing any more: {SOURCE}/*.py [allow]"
    ]


def test_an_allowance_has_a_limit_and_a_reason(found):
    entries = allow("module-size", f"{SOURCE}/big.py", "") + allow("vague-name", f"{SOURCE}/utils.py", "")

    assert found(**{
        f"{SOURCE}/big.py": "x = 1\n" * 601,
        f"{SOURCE}/utils.py": "",
        "tools/layout_allow.toml": entries,
    }) == [
        f"{SOURCE}/big.py: 601 lines, at most 400 [module-size]",
        f"tools/layout_allow.toml: allows nothing any more: {SOURCE}/big.py [allow]",
        f"tools/layout_allow.toml: gives no reason: {SOURCE}/big.py [allow]",
        f"tools/layout_allow.toml: gives no reason: {SOURCE}/utils.py [allow]",
    ]  # fmt: skip
