import fragments
import pytest
import release


@pytest.fixture
def core(workspace):
    workspace.add("onnxsim-core", "0.9.1")
    workspace.write("packages/onnxsim-core/changelog.d/b.fixed.md", "Fixed\nResize.\n")
    workspace.write("packages/onnxsim-core/changelog.d/a.fixed.md", "Fixed Slice.\n")
    workspace.write("packages/onnxsim-core/changelog.d/c.graph.md", "Folded Tile.\n")
    return release.find("onnxsim-core", workspace.root)


SECTION = """## 0.9.1 (2026-01-02)

### Graphs that come out different

- Folded Tile.

### Fixed

- Fixed Slice.
- Fixed Resize.
"""


def test_a_draft_shows_the_section_and_changes_nothing(core):
    before = (core.folder / "CHANGELOG.md").read_text()

    assert release.write_changelog(core, "2026-01-02", draft=True) == SECTION
    assert (core.folder / "CHANGELOG.md").read_text() == before
    assert len(fragments.fragment_files(core)) == 3


def test_a_release_puts_sections_newest_first_and_uses_the_fragments_up(core, workspace):
    release.write_changelog(core, "2026-01-02", draft=False)
    assert (core.folder / "CHANGELOG.md").read_text() == f"# Changelog\n\n<!-- releases -->\n\n{SECTION}"
    assert fragments.fragment_files(core) == []

    workspace.write("packages/onnxsim-core/src/onnxsim_core/_version.py", '__version__ = "0.9.2"\n')
    workspace.write("packages/onnxsim-core/changelog.d/d.added.md", "Added Abs.\n")
    release.write_changelog(core, "2026-02-03", draft=False)
    headings = [line for line in (core.folder / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")]
    assert headings == ["## 0.9.2 (2026-02-03)", "## 0.9.1 (2026-01-02)"]
    assert release.notes("onnxsim-core-v0.9.2", workspace.root) == "### Added\n\n- Added Abs."
    assert release.notes("onnxsim-core-v0.9.1", workspace.root) == SECTION.partition("\n")[2].strip()
    with pytest.raises(SystemExit, match="the changelog has no section 0.9.3"):
        release.notes("onnxsim-core-v0.9.3", workspace.root)


def test_nothing_changed_is_nothing_to_release(workspace):
    workspace.add("onnxsim-core")

    with pytest.raises(SystemExit, match="onnxsim-core has no changelog fragments: nothing to release"):
        release.write_changelog(release.find("onnxsim-core", workspace.root), "2026-01-02", draft=False)


def test_a_tag_that_can_be_released(core, workspace):
    release.write_changelog(core, "2026-01-02", draft=False)

    assert release.tag_problems("onnxsim-core-v0.9.1", workspace.root) == []


def test_tags_that_cannot(core, workspace):
    assert release.tag_problems("v0.9.1", workspace.root) == ["'v0.9.1' is no tag like onnxsim-core-v0.9.0"]
    assert release.tag_problems("onnxsim-core-v0.9.2", workspace.root) == [
        "the tag says 0.9.2, _version.py says 0.9.1",
        "the changelog has no section 0.9.2",
        "fragments are left over: a.fixed.md, b.fixed.md, c.graph.md",
    ]
    with pytest.raises(SystemExit, match="no distribution 'onnxsim-hf'; there are onnxsim-core"):
        release.tag_problems("onnxsim-hf-v0.9.1", workspace.root)


def test_needed_distributions_come_first(workspace):
    workspace.add("onnxsim", dependencies=("onnxsim-b>=0.9,<0.10",))
    workspace.add("onnxsim-b", dependencies=("onnxsim-core>=0.9,<0.10",))
    workspace.add("onnxsim-core", dependencies=("onnx",))

    assert release.release_order(workspace.root) == ["onnxsim-core", "onnxsim-b", "onnxsim"]


def test_a_circle_cannot_be_released(workspace):
    workspace.add("onnxsim-a", dependencies=("onnxsim-b>=0.9,<0.10",))
    workspace.add("onnxsim-b", dependencies=("onnxsim-a>=0.9,<0.10",))

    with pytest.raises(SystemExit, match="need each other"):
        release.release_order(workspace.root)
