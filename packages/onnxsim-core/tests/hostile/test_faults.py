"""What can happen to a run from outside: it is killed, the disk is full, the folder closed, the input cut, others write."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np
import onnx
import pytest

from onnxsim_core import ModelError, simplify
from onnxsim_core.passes.phases import Phases
from onnxsim_testkit import assert_same_outputs, model

WEIGHT = np.random.default_rng(0).standard_normal((512, 1024)).astype(np.float32)
OLD = b"what was there before"
KINDS = {"inline": {}, "external": {"save_as_external_data": True}}


def network(factor=1.0):
    """Two megabytes of weights, an Identity to remove."""
    text = "g (float[n,512] x) => (float[n,1024] y) { i = Identity(x) y = MatMul(i, w) }"
    return model(text, initializers={"w": WEIGHT * np.float32(factor)})


@pytest.fixture
def folder(tmp_path):
    """A folder with a model, `model.onnx`."""
    place = tmp_path / "folder"
    place.mkdir()
    onnx.save(network(), place / "model.onnx")
    return place


@pytest.fixture
def open_folder(folder):
    """The same where everybody may read it."""
    with tempfile.TemporaryDirectory(prefix="onnxsim-test-") as name:
        os.chmod(name, 0o755)
        shutil.copy(folder / "model.onnx", name)
        yield Path(name)


def run(code, *arguments, before=""):
    """Run code in a process of its own, where `simplify` and `sys.argv[1:]` are at hand."""
    program = f"import os, sys\nfrom onnxsim_core import simplify\n{textwrap.dedent(before)}\n{textwrap.dedent(code)}"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_simplified(path):
    x = np.random.default_rng(1).standard_normal((2, 512)).astype(np.float32)
    assert [node.op_type for node in onnx.load(path, load_external_data=False).graph.node] == ["MatMul"]
    assert_same_outputs(network(), path, {"x": x}, rtol=0, atol=0)


# --- killed ------------------------------------------------------------------------------------------------------------
KILLER = """
    import signal
    from onnxsim_core.passes.phases import Phases

    class Killer(Phases):
        def step(self, stage, done, total):
            if stage == "writing" and done > float(sys.argv[3]) * total:
                os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("part", [0.0, 0.9])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check_n", [0, 1])
def test_killed_while_writing(folder, kind, part, check_n):
    """What was at the target is there, whole; what the run made is beside it under names that say whose they are."""
    target = folder / "out.onnx"
    target.write_bytes(OLD)
    code = f"simplify(sys.argv[1], output_path=sys.argv[2], phases=Killer(), check_n={check_n}, **{KINDS[kind]})"

    child = run(code, folder / "model.onnx", target, part, before=KILLER)

    assert child.returncode == -signal.SIGKILL
    assert target.read_bytes() == OLD
    assert all(name.startswith(".onnxsim-") for name in set(names(folder)) - {"model.onnx", "out.onnx"})
    simplify(folder / "model.onnx", output_path=target, **KINDS[kind])
    assert_simplified(target)


def test_killed_while_writing_over_the_input(folder):
    source = folder / "model.onnx"
    before = source.read_bytes()

    child = run("simplify(sys.argv[1], output_path=sys.argv[2], phases=Killer())", source, source, 0.5, before=KILLER)

    assert child.returncode == -signal.SIGKILL
    assert source.read_bytes() == before


@pytest.mark.parametrize("renames", [0, 1])
def test_killed_between_putting_data_and_model_in_place(folder, renames):
    """Both versions of both files are there: at most, the former data have a name of their own."""
    target, data = folder / "out.onnx", folder / "out.onnx.data"
    target.write_bytes(OLD)
    data.write_bytes(OLD + b", data")
    before = """
        import signal
        real, done = os.replace, []

        def replace(a, b):
            if len(done) == int(sys.argv[3]):
                os.kill(os.getpid(), signal.SIGKILL)
            done.append(b)
            real(a, b)

        os.replace = replace
    """
    code = "simplify(sys.argv[1], output_path=sys.argv[2], save_as_external_data=True)"

    child = run(code, folder / "model.onnx", target, renames, before=before)

    assert child.returncode == -signal.SIGKILL
    assert target.read_bytes() == OLD
    assert OLD + b", data" in [path.read_bytes() for path in folder.iterdir()]


# --- no room, no access ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("previous", [None, OLD])
def test_no_room_for_the_output(folder, kind, previous):
    """A limit of the file size stands for a full disk: writing fails in the middle."""
    target = folder / "out.onnx"
    if previous is not None:
        target.write_bytes(previous)
    code = f"""
        import resource, signal
        from onnxsim_core import ModelError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        try:
            simplify(sys.argv[1], output_path=sys.argv[2], **{KINDS[kind]})
        except ModelError as error:
            print(error)
    """

    child = run(code, folder / "model.onnx", target)

    assert child.returncode == 0, child.stderr
    assert child.stdout.startswith(str(target)) and "cannot be written: the file is too large" in child.stdout
    assert names(folder) == (["model.onnx"] if previous is None else ["model.onnx", "out.onnx"])
    if previous is not None:
        assert target.read_bytes() == previous


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check_n", [0, 1])
def test_a_folder_closed_to_writing(open_folder, kind, check_n):
    """For root, nothing is closed: the child is nobody then."""
    closed = open_folder / "closed"
    closed.mkdir(mode=0o555)
    code = f"""
        from onnxsim_core import ModelError
        # What the comparison imports has to be in before: nobody may not read root's Python.
        import importlib.util, onnx.reference
        if importlib.util.find_spec("onnxruntime"):
            import onnxruntime
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            simplify(sys.argv[1], output_path=sys.argv[2], check_n={check_n}, **{KINDS[kind]})
        except ModelError as error:
            print(error)
    """

    child = run(code, open_folder / "model.onnx", closed / "out.onnx")

    assert child.returncode == 0, child.stderr
    assert "cannot be written: permission denied" in child.stdout
    assert names(closed) == []


# --- the input changes -------------------------------------------------------------------------------------------------
class Meddler(Phases):
    """Does something to a file when the run has read it."""

    def __init__(self, deed):
        self.deed = deed

    def step(self, stage, done, total):
        if stage == "simplifying":
            self.deed()


@pytest.mark.parametrize("size", [0, 1000, 1 << 20])
def test_the_input_is_cut_during_the_run(folder, size):
    source, target = folder / "model.onnx", folder / "out.onnx"
    target.write_bytes(OLD)

    with pytest.raises(ModelError):
        simplify(source, output_path=target, phases=Meddler(lambda: os.truncate(source, size)))

    assert target.read_bytes() == OLD
    assert names(folder) == ["model.onnx", "out.onnx"]


def test_the_data_of_the_input_are_cut_during_the_run(folder):
    onnx.save(network(), folder / "apart.onnx", save_as_external_data=True, location="apart.bin")
    data = folder / "apart.bin"

    with pytest.raises(ModelError):
        simplify(folder / "apart.onnx", output_path=folder / "out.onnx",
                 phases=Meddler(lambda: os.truncate(data, 1000)))  # fmt: skip

    assert names(folder) == ["apart.bin", "apart.onnx", "model.onnx"]


@pytest.mark.parametrize("deed", ["replaced", "removed"])
def test_an_input_that_is_replaced_or_removed_is_still_the_one_that_was_read(folder, deed):
    source = folder / "model.onnx"
    other = folder.parent / "other"
    other.write_bytes(b"other")

    deeds = {"replaced": lambda: os.replace(shutil.copy(other, folder / "copy"), source),
             "removed": lambda: source.unlink(missing_ok=True)}  # fmt: skip
    simplify(source, output_path=folder / "out.onnx", phases=Meddler(deeds[deed]))

    assert_simplified(folder / "out.onnx")


# --- the output is the input, or somebody else's too -------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check_n", [0, 1])
@pytest.mark.parametrize("alias", ["same", "relative", "symlink", "hard link"])
def test_the_output_is_the_input(folder, monkeypatch, kind, check_n, alias):
    source = folder / "model.onnx"
    monkeypatch.chdir(folder)
    target = Path("model.onnx") if alias == "relative" else source if alias == "same" else folder / "alias.onnx"
    if alias == "symlink":
        target.symlink_to(source)
    elif alias == "hard link":
        os.link(source, target)

    result = simplify(source, output_path=target, check_n=check_n, **KINDS[kind])

    assert result.ok
    assert_simplified(target)
    assert not [name for name in names(folder) if name.startswith(".onnxsim")]


def test_external_data_are_written_over_themselves(folder):
    onnx.save(network(), folder / "model.onnx", save_as_external_data=True, location="model.onnx.data")

    simplify(folder / "model.onnx", output_path=folder / "model.onnx", save_as_external_data=True)

    assert_simplified(folder / "model.onnx")
    assert names(folder) == ["model.onnx", "model.onnx.data"]


@pytest.mark.parametrize("check_n", [0, 1])
@pytest.mark.parametrize(("location", "kind"), [("out.onnx.data", "external"), ("out.onnx", "inline"), ("out.onnx", "external")])
@pytest.mark.parametrize("alias", [None, os.symlink])
def test_weights_of_the_input_are_not_written_over(folder, location, kind, check_n, alias):
    """The input keeps its weights where this output would go: afterwards it would have none."""
    source, weights = folder / "model.onnx", folder / location
    onnx.save(network(), source, save_as_external_data=True, location="weights" if alias else location)
    if alias:
        alias(folder / "weights", weights)
    before = weights.read_bytes()

    with pytest.raises(ModelError, match="the weights of the input model lie there") as caught:
        simplify(source, output_path=folder / "out.onnx", check_n=check_n, **KINDS[kind])

    assert caught.value.where == str(weights) and weights.read_bytes() == before
    assert names(folder) == sorted({"model.onnx", location, *(["weights"] if alias else [])})
    assert_same_outputs(network(), onnx.load(source), {"x": np.ones((2, 512), np.float32)}, rtol=0, atol=0)


def test_a_file_beside_that_is_not_written_is_no_obstacle(folder):
    """Inside the model file the weights are in nobody's way."""
    onnx.save(network(), folder / "model.onnx", save_as_external_data=True, location="out.onnx.data")
    simplify(folder / "model.onnx", output_path=folder / "out.onnx")
    assert_simplified(folder / "out.onnx")
    assert onnx.load(folder / "model.onnx").graph.initializer[0].raw_data == WEIGHT.tobytes()


def test_two_processes_write_the_same_output(folder):
    """Whoever is last wins, with a whole file."""
    target = folder / "out.onnx"
    onnx.save(network(2.0), folder / "other.onnx")
    code = "[simplify(sys.argv[1], output_path=sys.argv[2]) for _ in range(15)]"
    program = f"import sys\nfrom onnxsim_core import simplify\n{code}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    children = [
        subprocess.Popen([sys.executable, "-c", program, str(folder / name), str(target)], env=environment)
        for name in ("model.onnx", "other.onnx")
    ]
    assert [child.wait(120) for child in children] == [0, 0]

    wanted = [simplify(folder / name, output_path=folder / f"alone-{name}").path for name in ("model.onnx", "other.onnx")]
    assert target.read_bytes() in [Path(path).read_bytes() for path in wanted]
    assert not [name for name in names(folder) if name.startswith(".onnxsim")]
