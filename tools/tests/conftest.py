from pathlib import Path

import pytest

PROJECT = """[project]
name = "{name}"
dependencies = {dependencies}
[project.optional-dependencies]
ort = ["{extra}"]
"""


class Workspace:
    """A small workspace to check: files are written by path, distributions with what every one must have."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("tools/layout_allow.toml", "")
        self.write("tools/layers.toml", "")
        self.write("pyproject.toml", "[tool.uv.sources]\n")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def add(
        self, name: str, version: str = "0.9.0", dependencies: tuple[str, ...] = (), extra: str = "onnxruntime"
    ) -> None:
        package = name.replace("-", "_")
        self.write(f"packages/{name}/pyproject.toml", PROJECT.format(
            name=name, dependencies=list(dependencies), extra=extra))
        self.write(f"packages/{name}/README.md", "")
        self.write(f"packages/{name}/LICENSE", "")
        self.write(f"packages/{name}/CHANGELOG.md", "# Changelog\n\n<!-- releases -->\n")
        self.write(f"packages/{name}/changelog.d/.keep", "")
        self.write(f"packages/{name}/src/{package}/__init__.py", "")
        self.write(f"packages/{name}/src/{package}/_version.py", f'__version__ = "{version}"\n')
        self.write(f"packages/{name}/src/{package}/py.typed", "")
        self.write(f"packages/{name}/tests/test_{package}.py", "")
        sources = self.root / "pyproject.toml"
        sources.write_text(sources.read_text(encoding="utf-8") + f"{name} = {{ workspace = true }}\n", encoding="utf-8")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)
