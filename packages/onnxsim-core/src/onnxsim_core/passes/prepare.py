"""What is settled before the first round: interface options, initializers among the inputs."""

from __future__ import annotations

from ..errors import OptionError
from ..ir.graph import Graph, Model, Value
from ..options import SimplifyOptions
from .holding import check_kept
from .input_shapes import overwrite_input_shapes
from .presets import demand


def prepare(model: Model, options: SimplifyOptions) -> None:
    """Apply the options that concern the model's interface.

    Raises:
        OptionError: an option names an input, output or node the model does not have, or a shape it cannot take, or the
            preset demands what the model does not meet.
    """
    if not options.mutable_initializer:
        drop_default_inputs(model.graph)
    if options.unused_outputs:
        drop_outputs(model.graph, options.unused_outputs)
    if options.overwrite_input_shapes:
        overwrite_input_shapes(model, options.overwrite_input_shapes)
    if options.keep_nodes:
        check_kept(model, options.keep_nodes)
    demand(model, options.preset)


def drop_default_inputs(graph: Graph) -> None:
    """Initializers leave the list of inputs and become constants.  Source: ONNX IR 4."""
    for value in [v for v in graph.inputs if v.tensor is not None]:
        value.is_input = False
        value.info = None
    graph.inputs[:] = [v for v in graph.inputs if v.is_input]


def drop_outputs(graph: Graph, names: tuple[str, ...]) -> None:
    """Remove graph outputs by name; at least one must stay."""
    by_name: dict[str, Value] = {value.name: value for value in graph.outputs}
    for name in names:
        if name not in by_name:
            raise OptionError(f"the model has no output called {name!r}", hint="its outputs: " + ", ".join(by_name))
    left = [value for value in graph.outputs if value.name not in names]
    if not left:
        raise OptionError("removing every output would leave an empty model")
    for value in graph.outputs:
        if value.name in names:
            value.outputs -= 1
    graph.outputs[:] = left
