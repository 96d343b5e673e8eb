"""Malformed nodes, for tests of what must bear them: the reader keeps them from every rule."""

from onnxsim_core.ir.formal import OPAQUE
from onnxsim_core.ir.graph import Model


def show_malformed(model: Model) -> Model:
    """Let rules see the nodes that the reader keeps from them."""
    for graph in model.graphs():
        for node in graph:
            if node.domain == OPAQUE:
                node.domain = ""
    return model
