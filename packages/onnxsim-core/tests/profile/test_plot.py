import json
import sys

import matplotlib.image
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.profile.plot import load_node_counts, plot_node_reduction


def profile(path, *counts):
    path.write_text(json.dumps({"traceEvents": [
        {"name": "NodeCount", "ph": "C", "ts": -index, "args": {"node_count": count, "loop": loop}}
        for index, (loop, count) in reversed(list(enumerate(counts)))] + [{"name": "RSS", "ph": "C", "ts": 0}]}))
    return path


def test_counts_by_loop_in_order_of_time(tmp_path):
    path = profile(tmp_path / "p.json", ("FoldConstant", 3), ("Optimize", 5), ("FoldConstant", 7), ("Initial", 9))

    assert load_node_counts(path) == {"Initial": [9], "FoldConstant": [7, 3], "Optimize": [5]}


def test_a_picture_is_drawn(tmp_path):
    path = profile(tmp_path / "p.json", ("FoldConstant", 3), ("Optimize", 5), ("Initial", 9))
    made = plot_node_reduction(path)

    assert made == f"{path}_node_reduction.png"
    height, width = matplotlib.image.imread(made).shape[:2]
    assert width > 1.5 * height > 300  # two plots side by side
    assert plot_node_reduction(path, tmp_path / "n.png") == str(tmp_path / "n.png")


def test_without_matplotlib_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(RuntimeError, match=r"pip install 'onnxsim\[plot\]'"):
        plot_node_reduction(profile(tmp_path / "p.json", ("Optimize", 5)))


def test_what_cannot_be_drawn(tmp_path):
    (tmp_path / "bad.json").write_text("[]")

    with pytest.raises(RuntimeError, match="holds no node counts"):
        plot_node_reduction(profile(tmp_path / "p.json", ("Initial", 5)))
    with pytest.raises(ModelError, match="is no profile"):
        load_node_counts(tmp_path / "bad.json")
    with pytest.raises(ModelError, match="cannot be read"):
        load_node_counts(tmp_path / "none.json")
    with pytest.raises(ModelError, match="cannot be written"):
        plot_node_reduction(profile(tmp_path / "p.json", ("Optimize", 5)), tmp_path / "no" / "n.png")
