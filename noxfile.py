"""Sessions of the workspace. `nox` runs those that every change must pass; `nox -l` lists all of them.

A session that takes a distribution runs for one with `nox -s "tests(onnxsim-core)"` and for all with `nox -s tests`.
What follows `--` goes to pytest: `nox -s "tests(onnxsim-core)" -- -k transpose -x`.
"""

import sys
import tempfile
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent / "tools"))

from source_tree import ROOT, distributions

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["lint", "types", "layers", "tests", "testkit", "vendor", "wheel", "docs"]

DISTS = {dist.name: dist for dist in distributions()}
CORE = DISTS["onnxsim-core"]
CORE_TESTS = str(CORE.tests.relative_to(ROOT))
SOURCES = [str(dist.source.relative_to(ROOT)) for dist in DISTS.values()]
USUAL = "not safetensors and not rewriters and not parity and not fuzz and not golden"


def sync(session: nox.Session, *selection: str) -> None:
    """Bring the session's environment to exactly what the workspace's lock has for a selection."""
    session.run_install(
        "uv",
        "sync",
        "--quiet",
        "--no-default-groups",
        f"--python={session.virtualenv.location}",
        *selection,
        env={"UV_PROJECT_ENVIRONMENT": session.virtualenv.location},
        external=True,
    )


def marked(session: nox.Session, marker: str, *arguments: str) -> None:
    """Run the core's tests that carry a marker."""
    session.run("pytest", "-m", marker, CORE_TESTS, *arguments, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, sizes, mirrored tests, changelog fragments."""
    sync(session, "--only-group", "lint")
    session.run("ruff", "check", ".")
    session.run("python", "tools/check_layout.py")
    session.run("python", "tools/fragments.py")


@nox.session
def types(session: nox.Session) -> None:
    """mypy in strict mode over all sources, pyright over the facade that editors see."""
    sync(session, "--all-packages", "--all-extras", "--group", "types", "--group", "test")
    session.run("mypy", *SOURCES, "tools/testkit/src/onnxsim_testkit")
    scripts = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tools").glob("*.py"))]
    session.run("mypy", *scripts, "tools/bench", "tools/conformance", "tools/fuzzing")
    session.run("pyright", "packages/onnxsim/src")


@nox.session
def layers(session: nox.Session) -> None:
    """Imports point down, the core can be copied, siblings ask for each other rightly."""
    session.run("python", "tools/check_layers.py")
    session.run("python", "tools/check_siblings.py")


@nox.session
@nox.parametrize("dist", list(DISTS), ids=list(DISTS))
def tests(session: nox.Session, dist: str) -> None:
    """The tests of one distribution, in an environment that holds it and nothing of its siblings' extras."""
    sync(session, "--package", dist, "--group", "test")
    session.run("pytest", "-m", USUAL, str(DISTS[dist].tests.relative_to(ROOT)), *session.posargs)


@nox.session
def testkit(session: nox.Session) -> None:
    """The tests of what tests and checks are made of."""
    sync(session, "--package", "onnxsim-testkit", "--group", "test")
    session.run("pytest", "tools", *session.posargs)


@nox.session
def vendor(session: nox.Session) -> None:
    """The core's tests on a copy under another name, with onnx and numpy alone; onnxruntime judges from outside."""
    session.install("onnx>=1.20,<1.24", "numpy>=1.26", "pytest>=9", "hypothesis>=6.100", "sympy>=1.13")
    judge = Path(session.virtualenv.location) / "judge"
    session.run_install("uv", "venv", "--quiet", "--allow-existing", f"--python={sys.executable}", str(judge))
    session.run_install("uv", "pip", "install", "--quiet", f"--python={judge}", "onnx>=1.20,<1.24", "onnxruntime>=1.22")
    python = judge / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    with tempfile.TemporaryDirectory(prefix="onnxsim-vendor-") as folder:
        session.run("python", "tools/vendor_copy.py", folder)
        environment = {"PYTHONPATH": folder, "ONNXSIM_TEST_JUDGE": str(python)}
        with session.chdir(folder):
            session.run("pytest", "-m", f"{USUAL} and not runtime", "tests", *session.posargs, env=environment)


@nox.session
@nox.parametrize("dist", list(DISTS), ids=list(DISTS))
def wheel(session: nox.Session, dist: str) -> None:
    """Build one distribution and what it needs of this workspace, install it elsewhere, use it."""
    with tempfile.TemporaryDirectory(prefix="onnxsim-dist-") as folder:
        for name in needed(dist):
            session.run("python", "tools/release.py", "build", name, folder, silent=True)
        session.run("python", "tools/smoke_wheel.py", dist, folder)


def needed(dist: str) -> list[str]:
    """A distribution and the siblings it requires, directly or through another."""
    from check_siblings import requirements

    found = [dist]
    for name in found:
        for _, sibling, _, _ in requirements(DISTS[name]):
            if sibling in DISTS and sibling not in found:
                found.append(sibling)
    return found


@nox.session
def docs(session: nox.Session) -> None:
    """Every example of the documentation runs, and the generated pages are what the code says."""
    extras = [word for extra in ("rich", "onnxruntime", "archives") for word in ("--extra", extra)]
    sync(session, "--package", "onnxsim", *extras, "--group", "test")
    session.run("python", "tools/gen_docs.py", "--check")
    session.run("python", "tools/check_docs.py")


@nox.session
@nox.parametrize("dist", list(DISTS), ids=list(DISTS))
def minimums(session: nox.Session, dist: str) -> None:
    """The tests of one distribution with the oldest onnx and numpy that it says it works with."""
    session.install("--resolution", "lowest-direct", *(str(DISTS[name].folder) for name in needed(dist)))
    # The judge and the other tools of the tests stay new: an old onnxruntime has faults of its own.
    session.install("--group", f"{DISTS[dist].folder}/pyproject.toml:test")
    session.run("pytest", "-m", USUAL, str(DISTS[dist].tests.relative_to(ROOT)), *session.posargs)


@nox.session
def parity(session: nox.Session) -> None:
    """Nothing that onnxoptimizer's passes simplify is left; run on the models the tests build."""
    sync(session, "--package", "onnxsim-core", "--extra", "opt", "--group", "test")
    marked(session, "parity")


@nox.session
def compare(session: nox.Session) -> None:
    """Other simplifiers beside this one on the project's models; writes docs/reference/comparison.md.

    The published `onnxsim` bears the name of a member of the workspace, so the tools live in an environment outside it.
    """
    session.install("onnxsim==0.8.1", "onnxslim==0.1.98", "onnxoptimizer==0.4.2", "onnxruntime>=1.22")
    session.install("--reinstall-package", "onnxsim-core", "packages/onnxsim-core", "tools/testkit")
    arguments = session.posargs or ["--out", "docs/reference/comparison.md"]
    session.run("python", "tools/compare_tools.py", *arguments)


@nox.session
def safetensors(session: nox.Session) -> None:
    """Models whose weights lie in .safetensors files, as the package onnx-safetensors writes them."""
    sync(session, "--package", "onnxsim-core", "--group", "safetensors")
    marked(session, "safetensors")


@nox.session
def rewriters(session: nox.Session) -> None:
    """Rewriters of the user written with onnxscript and onnx-ir."""
    sync(session, "--package", "onnxsim-core", "--group", "rewriters")
    marked(session, "rewriters")


@nox.session
def conformance(session: nox.Session) -> None:
    """The test suite of onnx, simplified in several ways; fails if docs/reference/conformance.md says otherwise."""
    sync(session, "--package", "onnxsim-core", "--extra", "ort", "--group", "test")
    arguments = session.posargs or ["--check"]
    session.run("python", "-m", "conformance", *arguments, env={"PYTHONPATH": "tools"})


@nox.session
def fuzz(session: nox.Session) -> None:
    """Random models and damaged files, for half an hour; what follows `--` goes to `python -m fuzzing`."""
    sync(session, "--package", "onnxsim-core", "--group", "test")
    if not session.posargs:
        marked(session, "fuzz")
    usual = [("graphs", "--seconds", "900"), ("files", "--seconds", "300")]
    for arguments in [session.posargs] if session.posargs else usual:
        session.run("python", "-m", "fuzzing", *arguments, env={"PYTHONPATH": "tools"})


@nox.session
def golden(session: nox.Session) -> None:
    """Whole rewritten graphs against the stored ones."""
    sync(session, "--package", "onnxsim-core", "--group", "test")
    marked(session, "golden")


@nox.session
def models(session: nox.Session) -> None:
    """Real exports, simplified and compared with the original by their outputs; a part of the core's tests."""
    sync(session, "--package", "onnxsim-core", "--group", "test")
    session.run("pytest", f"{CORE_TESTS}/models", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Time and peak memory of whole runs; see docs/how-to/benchmark.md."""
    sync(session, "--package", "onnxsim-core", "--extra", "ort", "--group", "test")
    session.run("python", "-m", "bench", *session.posargs, env={"PYTHONPATH": "tools"})


@nox.session
@nox.parametrize("dist", list(DISTS), ids=list(DISTS))
def changelog(session: nox.Session, dist: str) -> None:
    """Show the changelog section that the next release of one distribution would get."""
    session.run("python", "tools/release.py", "changelog", dist, "--draft")


@nox.session
def release(session: nox.Session) -> None:
    """Prepare a release: `nox -s release -- onnxsim-core patch` sets the version and writes the changelog."""
    if len(session.posargs) != 2 or session.posargs[0] not in DISTS:
        session.error(f"say which of {', '.join(DISTS)} and which part: major, minor, patch or a version")
    name, part = session.posargs
    session.install("hatchling>=1.27,<2")
    with session.chdir(DISTS[name].folder):
        session.run("hatchling", "version", part)
    session.run("python", "tools/release.py", "changelog", name)
    session.log("Commit this, then tag it: the release workflow publishes what the tag names.")
