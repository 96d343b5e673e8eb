"""What files hold besides nodes: constants held twice, overridable or sparse, functions, custom operators, remarks."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .growing import Grower, reads_and_makes


def repeat_constants(model: onnx.ModelProto, g: Grower) -> None:
    """Initializers twice under two names, ones nobody reads, and doc strings."""
    graph = model.graph
    for tensor in list(graph.initializer):
        if g.chance(0.4):
            copy = graph.initializer.add()
            copy.CopyFrom(tensor)
            copy.name = g.fresh("again")
            for node in graph.node:
                if g.chance(0.5):
                    node.input[:] = [copy.name if name == tensor.name else name for name in node.input]
    unused = graph.initializer.add()
    unused.CopyFrom(onnx.numpy_helper.from_array(np.arange(3.0), g.fresh("unused")))
    graph.doc_string = "a graph"


def expose_constants(model: onnx.ModelProto, g: Grower) -> None:
    """An initializer that is an output of the graph."""
    if model.graph.initializer:
        tensor = g.rng.choice(list(model.graph.initializer))
        model.graph.output.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))


def expose_inputs(model: onnx.ModelProto, g: Grower) -> None:
    """An input that is an output of the graph; not of strings, of which onnxruntime then gives empty ones."""
    info = g.rng.choice(list(model.graph.input))
    if info.type.tensor_type.elem_type != TensorProto.STRING:
        model.graph.output.append(info)


def make_overridable(model: onnx.ModelProto, g: Grower) -> None:
    """Initializers that are inputs with a default."""
    for tensor in model.graph.initializer:
        if g.chance(0.4):
            model.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))


def state_shapes(model: onnx.ModelProto, g: Grower) -> None:
    """What onnx infers of the values between."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=g.chance(0.5))
    except onnx.shape_inference.InferenceError:
        return
    model.graph.value_info.extend(inferred.graph.value_info)


def store_sparse(model: onnx.ModelProto, g: Grower) -> None:
    """An initializer of which only what is not 0 is stored."""
    graph = model.graph
    stated = {info.name for info in (*graph.input, *graph.output)}
    for index, tensor in enumerate(graph.initializer):
        array = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or array.ndim != 2 or tensor.name in stated or not array.any():
            continue
        places = np.flatnonzero(array)
        values = numpy_helper.from_array(array.reshape(-1)[places], tensor.name)
        sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(places), array.shape)
        graph.sparse_initializer.append(sparse)
        del graph.initializer[index]
        model.ir_version = max(model.ir_version, 5)
        return


def remark(model: onnx.ModelProto, g: Grower) -> None:
    """Doc strings, metadata, and a note on how a value was quantised."""
    for node in model.graph.node:
        if g.chance(0.2):
            node.doc_string = "a node"
            node.metadata_props.add(key="from", value="somewhere")
    model.metadata_props.add(key="author", value="nobody")
    note = model.graph.quantization_annotation.add(tensor_name=g.rng.choice(list(model.graph.node)).output[0])
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="nothing")


# --- functions and custom operators ------------------------------------------------------------------------------------
def wrap_in_function(model: onnx.ModelProto, g: Grower) -> None:
    """Some nodes in a row become a function of the model."""
    cut = _cut(model, g)
    if cut is None:
        return
    # A function may well have the name of an operator, and be another one.
    name = g.fresh("F")
    # (onnxruntime itself ends at a function called Add that has one input.)
    alike = {"Conv", "Expand", "Relu", "Reshape", "Shape", "Transpose"} | ({"Add", "Mul"} if len(cut[2]) > 1 else set())
    alike -= {node.op_type for node in cut[1]}
    if g.chance(0.5):
        name = g.rng.choice(sorted(alike))
    model.functions.append(_called(model, g, cut, "local", name))
    model.ir_version = max(model.ir_version, 10)


def hide_in_operator(model: onnx.ModelProto, g: Grower) -> None:
    """Some nodes in a row become a custom operator, with attributes, of which the model does not say what it computes."""
    cut = _cut(model, g)
    if cut is None or any(node.domain == "local" for node in cut[1]):
        return
    attributes = {"alpha": 0.5, "axes": [1, -1], "mode": "fast", "table": numpy_helper.from_array(np.arange(3.0))}
    chosen = {name: value for name, value in attributes.items() if g.chance(0.4)}
    g.definitions.append(_called(model, g, cut, "com.example", g.fresh("Custom"), **chosen))


Cut = tuple[int, list[onnx.NodeProto], list[str], list[str]]


def _cut(model: onnx.ModelProto, g: Grower) -> Cut | None:
    """Some nodes in a row: where they begin, what they read from outside, and what of theirs is read there."""
    graph = model.graph
    if g.opset < 15 or len(graph.node) < 2:
        return None
    start = g.rng.randrange(len(graph.node) - 1)
    end = g.rng.randrange(start + 1, min(len(graph.node), start + 5) + 1)
    inside = list(graph.node)[start:end]
    reads, made = reads_and_makes(inside)
    after, _ = reads_and_makes(list(graph.node)[end:])
    after |= {output.name for output in graph.output}
    outputs = [name for node in inside for name in node.output if name in after]
    return (start, inside, sorted(reads - made), outputs) if outputs else None


def _called(model: onnx.ModelProto, g: Grower, cut: Cut, domain: str, name: str, **attributes: Any) -> onnx.FunctionProto:
    """Put a call in the place of the nodes; gives the function they become."""
    start, inside, inputs, outputs = cut
    graph = model.graph
    function = helper.make_function(domain, name, inputs, outputs, inside, list(model.opset_import), list(attributes))
    call = helper.make_node(name, inputs, outputs, domain=domain, name=g.fresh("n_"), **attributes)
    nodes = [*list(graph.node)[:start], call, *list(graph.node)[start + len(inside) :]]
    del graph.node[:]
    graph.node.extend(nodes)
    if not any(entry.domain == domain for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid(domain, 1))
    return function


DRESSES = (
    repeat_constants, expose_constants, expose_inputs, hide_in_operator, wrap_in_function, state_shapes, make_overridable,
    store_sparse, remark,
)  # fmt: skip
