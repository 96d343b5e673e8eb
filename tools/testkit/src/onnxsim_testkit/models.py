"""Models written in the ONNX text format."""

from collections.abc import Mapping

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

DEFAULT_OPSET = 21


def model(
    text: str,
    *,
    opset: int = DEFAULT_OPSET,
    domains: Mapping[str, int] | None = None,
    initializers: Mapping[str, np.ndarray] | None = None,
    check: bool = False,
) -> onnx.ModelProto:
    """Parse ONNX text into a model.

    Args:
        text: a graph (`g (float[2] x) => (float[2] y) { y = Relu(x) }`), or a whole model when it starts with `<`;
            a whole model states its own opsets, and `opset` and `domains` do not apply.
        opset: version of the default domain.
        domains: further opset imports, by domain.
        initializers: tensors to add, by name; one that the text already holds is replaced.
        check: run the ONNX checker with full type inference.

    Raises:
        onnx.parser.ParseError: the text is not valid.
    """
    if text.lstrip().startswith("<"):
        proto = onnx.parser.parse_model(text)
    else:
        graph = onnx.parser.parse_graph(text)
        imports = [helper.make_opsetid("", opset)]
        imports += [helper.make_opsetid(domain, version) for domain, version in (domains or {}).items()]
        proto = helper.make_model(graph, opset_imports=imports, ir_version=oldest_ir_version(opset))
    for name, array in (initializers or {}).items():
        _set_initializer(proto.graph, name, np.asarray(array))
    if check:
        onnx.checker.check_model(proto, full_check=True)
    return proto


def oldest_ir_version(opset: int) -> int:
    """The oldest IR version that knows the opset, which the widest range of runtimes loads.

    An opset newer than the installed onnx gets that of the newest one it knows.
    """
    found: int = helper.find_min_ir_version_for([helper.make_opsetid("", min(opset, onnx.defs.onnx_opset_version()))])
    return found


def _set_initializer(graph: onnx.GraphProto, name: str, array: np.ndarray) -> None:
    tensor = numpy_helper.from_array(array, name)
    for existing in graph.initializer:
        if existing.name == name:
            existing.CopyFrom(tensor)
            return
    graph.initializer.append(tensor)
