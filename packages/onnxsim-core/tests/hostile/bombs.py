"""Small models that ask for enormous work, as text; every one is below a megabyte."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from onnxsim_testkit import model

HUGE = 10**12
ROWS = "g (float[n] x) => (float[] y) "

# Results that no memory holds, each read so that somebody wants to know it.
TEXTS = {
    "ConstantOfShape": "<int64[1] s = {1000000000000}> { c = ConstantOfShape(s) y = Add(x, c) }",
    "ConstantOfShape of many axes": "<int64[3] s = {1000000, 1000000, 1000000}> { c = ConstantOfShape(s) y = Add(x, c) }",
    "ConstantOfShape beyond counting": "<int64[3] s = {9223372036854775807, 9223372036854775807, 2}> "
    "{ c = ConstantOfShape(s) y = Add(x, c) }",
    "Tile": "<int64[1] r = {1000000000000}, float[2] k = {1, 2}> { c = Tile(k, r) y = Add(x, c) }",
    "Expand": "<int64[2] s = {1000000, 1000000}, float[1] k = {1}> { c = Expand(k, s) d = Exp(c) y = Add(x, d) }",
    "Range": "<int64 a = {0}, int64 b = {1000000000000}, int64 c = {1}> { r = Range(a, b, c) f = Cast<to=1>(r) y = Add(x, f) }",
    "Range of tiny steps": "<float a = {0}, float b = {1}, float c = {1e-30}> { r = Range(a, b, c) y = Add(x, r) }",
    "Pad": "<int64[2] p = {1000000000000, 0}, float[2] k = {1, 2}> { c = Pad(k, p) y = Add(x, c) }",
    "Pad by the edge": "<int64[2] p = {500000000000, 500000000000}, float[2] k = {1, 2}> "
    '{ c = Pad<mode="edge">(k, p) y = Add(x, c) }',
    "Resize": "<float[4] s = {1, 1, 1e6, 1e6}, float[1,1,1,1] k = {1}> { c = Resize(k, , s) y = Add(x, c) }",
    "Resize to sizes": "<int64[4] s = {1, 1, 1000000, 1000000}, float[1,1,1,1] k = {1}> "
    "{ c = Resize(k, , , s) y = Add(x, c) }",
    "OneHot": "<int64[2] i = {0, 1}, int64 d = {1000000000000}, float[2] v = {0, 1}> { c = OneHot(i, d, v) y = Add(x, c) }",
    "a product of a column and a row": "<int64[2] s = {1000000, 1}, int64[2] t = {1, 1000000}> "
    "{ a = ConstantOfShape(s) b = ConstantOfShape(t) c = MatMul(a, b) y = Add(x, c) }",
    "a column broadcast with a row": "<int64[2] s = {1000000, 1}, int64[2] t = {1, 1000000}> "
    "{ a = ConstantOfShape(s) b = ConstantOfShape(t) c = Add(a, b) d = Sub(c, b) y = Add(x, d) }",
    "an outer product by Einsum": '<int64[1] s = {1000000}> { a = ConstantOfShape(s) c = Einsum<equation="i,j->ij">(a, a) '
    "y = Add(x, c) }",
    "a sum over what nobody can hold": "<int64[1] s = {1000000000000}, int64[1] z = {0}> "
    "{ c = ConstantOfShape(s) t = ReduceSum(c, z) y = Add(x, t) }",
    "Trilu and EyeLike": "<int64[2] s = {1000000, 1000000}> { c = ConstantOfShape(s) e = EyeLike(c) t = Trilu(e) y = Add(x, t) }",
    "NonZero": "<int64[1] s = {1000000000}> { c = ConstantOfShape<value = float[1] {1}>(s) n = NonZero(c) f = Cast<to=1>(n) "
    "y = Add(x, f) }",
    "Compress": "<int64[1] s = {1000000000}> { c = ConstantOfShape<value = bool[1] {1}>(s) k = Cast<to=1>(c) "
    "p = Compress(k, c) y = Add(x, p) }",
    "Split": "<int64[1] s = {1000000000}> { c = ConstantOfShape(s) a, b = Split<num_outputs=2>(c) d = Add(a, b) y = Add(x, d) }",
    "TopK": "<int64[1] s = {1000000000}, int64[1] k = {500000000}> { c = ConstantOfShape(s) v, i = TopK(c, k) y = Add(x, v) }",
    "CumSum and Concat": "<int64[1] s = {1000000000}, int64 z = {0}> { c = ConstantOfShape(s) u = CumSum(c, z) "
    "w = Concat<axis=0>(u, u, u) y = Add(x, w) }",
    "ConvTranspose": "<float[1,1,1,1] k = {1}> { c = ConvTranspose<strides=[1000000,1000000], output_shape=[1000000,1000000]>(k, k) "
    "y = Add(x, c) }",
    "a Loop of many runs": "<int64 n = {1000000000000}, float[1] k = {1}> { z = Loop(n, , k) <body = b (int64 i, bool c, float[1] v) => "
    "(bool d, float[1] w) { d = Identity(c) w = Add(v, v) }> y = Add(x, z) }",
    "a Loop that stacks": "<int64 n = {9999}, int64[1] s = {1000000}> { z = Loop(n, ) <body = b (int64 i, bool c) => "
    "(bool d, float[] w) { d = Identity(c) w = ConstantOfShape(s) }> y = Add(x, z) }",
    "random numbers": "{ c = RandomNormal<shape=[1000000,1000000]>() y = Add(x, c) }",
    "a window": "<int64 s = {1000000000000}> { c = HannWindow(s) y = Add(x, c) }",
    "a filter bank": "<int64 a = {1000000}, int64 b = {2000000}, int64 r = {16000}, float f = {0}, float t = {8000}> "
    "{ c = MelWeightMatrix(a, b, r, f, t) y = Add(x, c) }",
    "a size of sizes": "<int64[2] s = {4611686018427387904, 4611686018427387904}> { c = ConstantOfShape(s) n = Size(c) "
    "f = Cast<to=1>(n) y = Add(x, f) }",
    "a Gather of many": "<int64[1] s = {1000000000}, float[2] k = {1, 2}> { i = ConstantOfShape<value = int64[1] {0}>(s) "
    "c = Gather(k, i) y = Add(x, c) }",
    "a Where": "<int64[2] s = {1000000, 1}, int64[2] t = {1, 1000000}> { a = ConstantOfShape(s) b = ConstantOfShape(t) "
    "q = Less(a, b) c = Where(q, a, b) y = Add(x, c) }",
    "quantised": "<int64[1] s = {1000000000000}, float k = {1}> { c = ConstantOfShape<value = uint8[1] {1}>(s) "
    "d = DequantizeLinear(c, k) y = Add(x, d) }",
}


def doubling(op: str, times: int, first: str) -> onnx.ModelProto:
    """x1 = op(x0, x0), x2 = op(x1, x1), ..."""
    nodes = "".join(f" x{i + 1} = {op % (f'x{i}', f'x{i}')}" for i in range(times))
    return model(f"g () => (float[] y) <{first}> {{{nodes} y = Identity(x{times}) }}")


def chain(nodes: list[onnx.NodeProto], inputs=(), outputs=(), initializers=(), opset=17) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", list(inputs), list(outputs), list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def floats(name: str, *sizes: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(sizes))


def many_outputs(count: int) -> onnx.ModelProto:
    nodes = [helper.make_node("Identity", [f"r{i}"], [f"y{i}"]) for i in range(count)]
    first = [helper.make_node("Relu", ["x"], [f"r{i}"]) for i in range(count)]
    return chain(first + nodes, [floats("x", 2)], [onnx.ValueInfoProto(name=f"y{i}") for i in range(count)])


def many_readers(count: int) -> onnx.ModelProto:
    nodes = [helper.make_node("Identity", ["x"], ["a"])]
    nodes += [helper.make_node("Add", ["a" if i % 2 else "x", f"z{i}"], [f"z{i + 1}"]) for i in range(count)]
    nodes.insert(1, helper.make_node("Neg", ["x"], ["z0"]))
    return chain(nodes, [floats("x", 2)], [floats(f"z{count}", 2)])


def wide_concat(count: int) -> onnx.ModelProto:
    nodes = [helper.make_node("Split", ["x"], [f"p{i}" for i in range(count)], axis=0)]
    nodes.append(helper.make_node("Concat", [f"p{i}" for i in range(count)], ["y"], axis=0))
    return chain(nodes, [floats("x", count)], [floats("y", count)], opset=12)


def long_rank(rank: int, relus: int) -> onnx.ModelProto:
    """A value of many axes that goes through many nodes; the axes cost the file nothing."""
    nodes = [helper.make_node("ConstantOfShape", ["r"], ["s"], value=numpy_helper.from_array(np.array([1])))]
    nodes.append(helper.make_node("Reshape", ["x", "s"], ["h0"]))
    nodes += [helper.make_node(("Relu", "Neg", "Abs")[i % 3], [f"h{i}"], [f"h{i + 1}"]) for i in range(relus)]
    constant = numpy_helper.from_array(np.array([rank]), "r")
    return chain(nodes, [floats("x", 1)], [floats(f"h{relus}")], [constant])


def stored_rank(rank: int, relus: int) -> onnx.ModelProto:
    nodes = [helper.make_node("Reshape", ["x", "s"], ["h0"])]
    nodes += [helper.make_node(("Relu", "Neg", "Abs")[i % 3], [f"h{i}"], [f"h{i + 1}"]) for i in range(relus)]
    constant = numpy_helper.from_array(np.ones(rank, np.int64), "s")
    return chain(nodes, [floats("x", 1)], [floats(f"h{relus}")], [constant])


def growing_formulas(symbols: int, squarings: int) -> onnx.ModelProto:
    """(a + b + ...) squared again and again: a polynomial of more terms than memory holds."""
    names = [f"d{i}" for i in range(symbols)]
    nodes = [helper.make_node("Shape", ["x"], ["s"])]
    nodes += [helper.make_node("Gather", ["s", f"i{i}"], [f"g{i}"], axis=0) for i in range(symbols)]
    nodes += [helper.make_node("Add", ["g0" if i == 1 else f"a{i - 1}", f"g{i}"], [f"a{i}"]) for i in range(1, symbols)]
    last = f"a{symbols - 1}"
    for i in range(squarings):
        nodes.append(helper.make_node("Mul", [last, last], [f"q{i}"]))
        last = f"q{i}"
    nodes.append(helper.make_node("Unsqueeze", [last, "zero"], ["u"]))
    nodes.append(helper.make_node("ConstantOfShape", ["u"], ["y"]))
    constants = [numpy_helper.from_array(np.array(i), f"i{i}") for i in range(symbols)]
    constants.append(numpy_helper.from_array(np.array([0]), "zero"))
    return chain(nodes, [floats("x", *names)], [floats("y", "out")], constants)


def nested_formulas(depth: int) -> onnx.ModelProto:
    """Divisions, remainders, minima and maxima of sizes, one in another."""
    nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Gather", ["s", "zero"], ["q0"], axis=0),
             helper.make_node("Gather", ["s", "one"], ["w"], axis=0)]  # fmt: skip
    for i in range(depth):
        op = ("Div", "Add", "Mod", "Mul", "Max", "Sub", "Min")[i % 7]
        nodes.append(helper.make_node(op, [f"q{i}", "w" if i % 2 else "three"], [f"q{i + 1}"]))
    nodes.append(helper.make_node("Unsqueeze", [f"q{depth}", "axis"], ["u"]))
    nodes.append(helper.make_node("ConstantOfShape", ["u"], ["y"]))
    constants = [numpy_helper.from_array(np.array(value), name) for name, value in (
        ("zero", 0), ("one", 1), ("three", 3), ("axis", [0]))]  # fmt: skip
    return chain(nodes, [floats("x", "n", "m")], [floats("y", "out")], constants)


def nested_ifs(depth: int) -> onnx.ModelProto:
    inner = helper.make_graph([helper.make_node("Relu", ["x"], ["o"])], "b", [], [onnx.ValueInfoProto(name="o")])
    for level in range(depth):
        node = helper.make_node("If", ["c"], [f"o{level}"], then_branch=inner, else_branch=inner)
        inner = helper.make_graph([node], "b", [], [onnx.ValueInfoProto(name=f"o{level}")])
        if inner.ByteSize() > 900_000:
            break
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    return chain(list(inner.node), [floats("x", 2), condition], [onnx.ValueInfoProto(name=inner.node[0].output[0])])


def functions_that_call(depth: int, times: int) -> onnx.ModelProto:
    """F1 calls F0 that many times, F2 calls F1 that many times, ..."""
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    functions = [helper.make_function("local", "F0", ["v0"], ["b"], [helper.make_node("Neg", ["v0"], ["b"])], imports)]
    for level in range(1, depth + 1):
        names = [*(f"v{i}" for i in range(times)), "b"]
        calls = [helper.make_node(f"F{level - 1}", names[i : i + 1], names[i + 1 : i + 2], domain="local") for i in range(times)]
        functions.append(helper.make_function("local", f"F{level}", ["v0"], ["b"], calls, imports))
    proto = chain([helper.make_node(f"F{depth}", ["x"], ["y"], domain="local")], [floats("x", 2)], [floats("y", 2)])
    proto.opset_import.append(imports[1])
    proto.functions.extend(functions)
    proto.ir_version = 10
    return proto


def products_of_known(count: int, size: int) -> onnx.ModelProto:
    """Matrices that cost the file nothing, multiplied one by another."""
    nodes = [helper.make_node("ConstantOfShape", ["s"], ["m0"], value=numpy_helper.from_array(np.float32([0.001])))]
    nodes += [helper.make_node("MatMul", [f"m{i}", f"m{i}"], [f"m{i + 1}"]) for i in range(count)]
    nodes.append(helper.make_node("Add", ["x", f"m{count}"], ["y"]))
    constant = numpy_helper.from_array(np.array([size, size]), "s")
    return chain(nodes, [floats("x", size, size)], [floats("y", size, size)], [constant])


def many_results(count: int) -> onnx.ModelProto:
    """Results of one weight, any of which may be stored as far as it alone goes."""
    numbers = [numpy_helper.from_array(np.float32(i), f"k{i}") for i in range(count)]
    nodes = [helper.make_node("Mul", ["w", f"k{i}"], [f"r{i}"]) for i in range(count)]
    nodes += [helper.make_node("Add", [f"y{i - 1}" if i else "x", f"r{i}"], [f"y{i}"]) for i in range(count)]
    weight = numpy_helper.from_array(np.arange(1000, dtype=np.float32), "w")
    return chain(nodes, [floats("x", 1000)], [floats(f"y{count - 1}", 1000)], [weight, *numbers])


def many_sums(count: int, size: int, op_type: str = "ReduceMax") -> onnx.ModelProto:
    """Numbers that are each found out by going through a generated array that is just small enough."""
    nodes = []
    for i in range(count):
        fill = numpy_helper.from_array(np.float32([i]))
        nodes.append(helper.make_node("ConstantOfShape", ["s"], [f"c{i}"], value=fill))
        if op_type == "TopK":
            nodes.append(helper.make_node("TopK", [f"c{i}", "one"], [f"r{i}", ""], axis=0))
        else:
            nodes.append(helper.make_node(op_type, [f"c{i}"], [f"r{i}"], keepdims=0))
        nodes.append(helper.make_node("Add", ["x" if not i else f"y{i - 1}", f"r{i}"], [f"y{i}"]))
    constants = [numpy_helper.from_array(np.array([size]), "s"), numpy_helper.from_array(np.array([1]), "one")]
    return chain(nodes, [floats("x", 1)], [floats(f"y{count - 1}", 1)], constants)


def bombs() -> dict[str, onnx.ModelProto]:
    """Every bomb by name."""
    found = {name: model(ROWS + text) for name, text in TEXTS.items()}
    found |= {
        "Concat that doubles": doubling("Concat<axis=0>(%s, %s)", 60, "float[2] x0 = {1, 2}"),
        "text that doubles": model(
            'g () => (string[1] y) <string[1] x0 = {"ab"}> {'
            + "".join(f" x{i + 1} = StringConcat(x{i}, x{i})" for i in range(60)) + " y = Identity(x60) }"
        ),
        "a sequence that doubles": model(
            "g () => (float[] y) <float[2] x0 = {1, 2}> {"
            + "".join(f" s{i} = SequenceConstruct(x{i}, x{i}) x{i + 1} = ConcatFromSequence<axis=0>(s{i})" for i in range(60))
            + " y = Identity(x60) }"
        ),
        "many outputs": many_outputs(12_000),
        "many readers": many_readers(25_000),
        "a wide Concat": wide_concat(60_000),
        "many axes for nothing": long_rank(1_000_000, 3000),
        "many axes": stored_rank(100_000, 3000),
        "formulas that grow": growing_formulas(8, 12),
        "formulas that grow in one symbol": growing_formulas(2, 40),
        "formulas in formulas": nested_formulas(300),
        "branches in branches": nested_ifs(40),
        "functions that double": functions_that_call(60, 2),
        "functions that call a few more": functions_that_call(16, 2),
        "functions in functions": functions_that_call(5000, 1),
        "products of generated matrices": products_of_known(40, 2000),
        "many results of one weight": many_results(12_000),
        "maxima of generated arrays": many_sums(2000, 16_000_000),
        "orders of generated arrays": many_sums(2000, 16_000_000, "TopK"),
        "sums of logarithms of generated arrays": many_sums(2000, 16_000_000, "ReduceLogSumExp"),
    }  # fmt: skip
    return found
