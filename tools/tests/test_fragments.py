import fragments
import pytest

FOLDER = "packages/onnxsim-x/changelog.d"


@pytest.fixture
def found(workspace):
    def check(name, text):
        workspace.add("onnxsim-x")
        workspace.write(f"{FOLDER}/{name}", text)
        return [str(problem) for problem in fragments.check(workspace.root)]

    return check


@pytest.mark.parametrize("name", ["resize-rounding.fixed.md", "a.graph.md", ".keep"])
def test_good_fragments(found, name):
    assert found(name, "`Resize` rounded its sizes as onnxruntime does.\n") == []


@pytest.mark.parametrize(
    ("name", "text", "finding"),
    [
        ("resize.md", "Fixed it.", "is not called <slug>.<type>.md with a type of added"),
        ("resize.feature.md", "Fixed it.", "is not called <slug>.<type>.md with a type of added"),
        ("resize.fixed.md", "  \n", "is empty"),
        ("resize.fixed.md", "One.\n\nTwo.\n", "is not one paragraph of at most 600 characters"),
        ("resize.fixed.md", "fixed it.", "is no sentence: begin with a capital, end with a full stop"),
        ("resize.fixed.md", "Fixed it", "is no sentence: begin with a capital, end with a full stop"),
    ],
)
def test_bad_fragments(found, name, text, finding):
    (problem,) = found(name, text)
    assert problem.startswith(f"{FOLDER}/{name}: {finding}")


def test_a_changelog_without_the_place_for_releases(workspace):
    workspace.add("onnxsim-x")
    workspace.write("packages/onnxsim-x/CHANGELOG.md", "# Changelog\n")

    (problem,) = fragments.check(workspace.root)
    assert problem.text == "has no <!-- releases --> line"
