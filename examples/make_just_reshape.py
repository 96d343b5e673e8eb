"""Write just_reshape.onnx: `x.view(x.shape[0], x.shape[1], x.shape[3], x.shape[2])` as PyTorch 1.x exported it.

Every size of the target is asked of the input again, although all of them are known: eighteen nodes where one will do.
Run it with any Python that has onnx: `python examples/make_just_reshape.py`.
"""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

INPUT_SHAPE = (2, 3, 4, 5)
AXES = (0, 1, 3, 2)


def just_reshape() -> onnx.ModelProto:
    """One Shape, Gather, Unsqueeze chain per axis, joined by a Concat into the target of the Reshape."""
    nodes, sizes = [], []
    for i, axis in enumerate(AXES):
        index = helper.make_tensor(f"axis_{i}", TensorProto.INT64, [], [axis])
        nodes += [
            helper.make_node("Shape", ["x"], [f"shape_{i}"], name=f"Shape_{i}"),
            helper.make_node("Constant", [], [f"axis_{i}"], name=f"Constant_{i}", value=index),
            helper.make_node("Gather", [f"shape_{i}", f"axis_{i}"], [f"size_{i}"], name=f"Gather_{i}", axis=0),
            helper.make_node("Unsqueeze", [f"size_{i}"], [f"size_1d_{i}"], name=f"Unsqueeze_{i}", axes=[0]),
        ]
        sizes.append(f"size_1d_{i}")
    nodes += [
        helper.make_node("Concat", sizes, ["target"], name="Concat_0", axis=0),
        helper.make_node("Reshape", ["x", "target"], ["y"], name="Reshape_0"),
    ]
    graph = helper.make_graph(
        nodes,
        "just_reshape",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, INPUT_SHAPE)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [INPUT_SHAPE[axis] for axis in AXES])],
    )
    model = helper.make_model(
        graph, producer_name="onnxsim-examples", opset_imports=[helper.make_opsetid("", 11)], ir_version=6
    )
    onnx.checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    onnx.save(just_reshape(), Path(__file__).with_name("just_reshape.onnx"))
