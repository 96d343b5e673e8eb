import check_siblings
import pytest


@pytest.mark.parametrize(
    ("version", "wanted"), [("0.9.0", ">=0.9,<0.10"), ("1.10.3", ">=1.10,<1.11"), ("2.0.0rc1", ">=2.0,<2.1")]
)
def test_the_range_follows_from_the_version(version, wanted):
    assert check_siblings.shared_range(version) == wanted


def texts(workspace):
    return [problem.text for problem in check_siblings.check(workspace.root)]


def test_right_ranges_have_no_findings(workspace):
    workspace.add("onnxsim-core", "0.9.0")
    workspace.add("onnxsim-x", "0.9.7", ("onnxsim-core[ort] >=0.9, <0.10", "numpy>=1"))

    assert texts(workspace) == []


@pytest.mark.parametrize(
    ("requirement", "finding"),
    [
        ("onnxsim-core", "dependencies: asks for onnxsim-core in any version, should ask for onnxsim-core>=0.9,<0.10"),
        ("onnxsim-core>=0.8,<0.9",
         "dependencies: asks for onnxsim-core>=0.8,<0.9, should ask for onnxsim-core>=0.9,<0.10"),
        ("onnxsim-core[opt]>=0.9,<0.10", "dependencies: onnxsim-core has no extra 'opt'"),
    ],
)  # fmt: skip
def test_wrong_ranges(workspace, requirement, finding):
    workspace.add("onnxsim-core")
    workspace.add("onnxsim-x", dependencies=(requirement,))

    assert texts(workspace) == [finding]


def test_versions_of_two_series_and_a_source_that_is_not_named(workspace):
    workspace.add("onnxsim-core", "0.9.0")
    workspace.add("onnxsim-x", "0.10.0")
    workspace.write("pyproject.toml", "[tool.uv.sources]\nonnxsim-core = { workspace = true }\n")

    assert texts(workspace) == ["MAJOR.MINOR differs: 0.10, 0.9", "tool.uv.sources does not name onnxsim-x"]
