"""onnxruntime's products, convolutions and quantised operators: what is stated against what its CPU kernels give."""

import pytest
from ops.foreign import judged, stated

Q = "float xs, uint8 xz, float ys, uint8 yz"
TWO = "float xs, uint8 xz, {}, float ks, uint8 kz, float ys, uint8 yz"


def convolution(x: str, k: str) -> str:
    return f"uint8[{x}] x, {TWO.format(f'uint8[{k}] k')}"


@pytest.mark.parametrize(
    ("op", "signature", "inputs", "attributes", "shape", "dtype"),
    [
        ("FusedMatMul", "float[b,k,m] x, float[b,n,k] y", "x, y", "transA = 1, transB = 1", "[b, m, n]", 1),
        ("FusedMatMul", "float[m,b,k] x, float[k,b,n] y", "x, y", "transBatchA = 1, transBatchB = 1", "[b, m, n]", 1),
        (
            "FusedMatMul",
            "float[k,b,m] x, float[n,b,k] y",
            "x, y",
            "transBatchA = 1, transBatchB = 1, transA = 1, transB = 1",
            "[b, m, n]",
            1,
        ),
        ("FusedMatMul", "float[k] x, float[b,n,k] y", "x, y", "transA = 1, transB = 1", "[b, n]", 1),
        (
            "FusedGemm",
            "float[k,m] x, float[n,k] y, float[n] c",
            "x, y, c",
            'transA = 1, transB = 1, activation = "Relu"',
            "[m, n]",
            1,
        ),
        ("MatMulIntegerToFloat", "uint8[b,m,k] x, uint8[k,n] y, float c, float d", "x, y, c, d", "", "[b, m, n]", 1),
        ("DynamicQuantizeMatMul", "float[b,m,k] x, uint8[k,n] y, float c", "x, y, c", "", "[b, m, n]", 1),
        ("MatMulInteger16", "int16[b,m,k] x, int16[k,n] y", "x, y", "", "[b, m, n]", 6),
        (
            "MatMulNBits",
            "float[b,m,32] x, uint8[5,1,16] y, float[5,1] c",
            "x, y, c",
            "K = 32, N = 5, bits = 4, block_size = 32",
            "[b, m, 5]",
            1,
        ),
        (
            "MatMulBnb4",
            "float[b,m,32] x, uint8[80] y, float[10] c",
            "x, y, c",
            "K = 32, N = 5, quant_type = 1, block_size = 16",
            "[b, m, 5]",
            1,
        ),
        (
            "QGemm",
            "uint8[m,k] x, float xs, uint8 xz, uint8[k,n] y, float ys, uint8 yz",
            "x, xs, xz, y, ys, yz",
            "",
            "[m, n]",
            1,
        ),
        (
            "QGemm",
            "uint8[k,m] x, float xs, uint8 xz, uint8[n,k] y, float ys, uint8 yz, int32[n] c, float zs, uint8 zz",
            "x, xs, xz, y, ys, yz, c, zs, zz",
            "transA = 1, transB = 1",
            "[m, n]",
            2,
        ),
        ("CDist", "float[m,k] x, float[n,k] y", "x, y", 'metric = "sqeuclidean"', "[m, n]", 1),
        (
            "GatherBlockQuantized",
            "uint8[v,16] x, int64[b,q] i, float[v,2] c",
            "x, i, c",
            "gather_axis = 0, quantize_axis = 1, block_size = 16, bits = 4",
            "[b, q, 32]",
            1,
        ),
        (
            "GatherBlockQuantized",
            "uint8[v,32] x, int64[b,q] i, float[v,2] c",
            "x, i, c",
            "gather_axis = 0, quantize_axis = 1, block_size = 16, bits = 8",
            "[b, q, 32]",
            1,
        ),
    ],
)
def test_products(op, signature, inputs, attributes, shape, dtype):
    found = judged(op, signature, inputs, 1, attributes)
    assert (found.shape("y0"), found.values["y0"].dtype) == (shape, dtype)


@pytest.mark.parametrize(
    ("op", "signature", "inputs", "attributes", "shape"),
    [
        (
            "FusedConv",
            "float[b,4,h,w] x, float[6,2,3,3] k",
            "x, k",
            'group = 2, pads = [1, 1, 1, 1], strides = [2, 1], activation = "Relu"',
            "[b, 6, floor((h + 1)/2), w]",
        ),
        ("QLinearConv", convolution("b,4,h,w", "6,4,3,3"), "x, xs, xz, k, ks, kz, ys, yz", "", "[b, 6, h - 2, w - 2]"),
        (
            "QLinearConv",
            convolution("b,h,w,4", "6,4,3,3"),
            "x, xs, xz, k, ks, kz, ys, yz",
            "channels_last = 1, kernel_shape = [3, 3]",
            "[b, h - 2, w - 2, 6]",
        ),
        ("NhwcMaxPool", "uint8[b,h,w,4] x", "x", "kernel_shape = [3, 3]", "[b, h - 2, w - 2, 4]"),
        ("QLinearGlobalAveragePool", f"uint8[b,4,h,w] x, {Q}", "x, xs, xz, ys, yz", "", "[b, 4, 1, 1]"),
        (
            "QLinearGlobalAveragePool",
            f"uint8[b,h,w,4] x, {Q}",
            "x, xs, xz, ys, yz",
            "channels_last = 1",
            "[b, 1, 1, 4]",
        ),
        (
            "QLinearAveragePool",
            f"uint8[b,4,h,w] x, {Q}",
            "x, xs, xz, ys, yz",
            "kernel_shape = [3, 3]",
            "[b, 4, h - 2, w - 2]",
        ),
        (
            "QLinearAveragePool",
            f"uint8[b,h,w,4] x, {Q}",
            "x, xs, xz, ys, yz",
            "kernel_shape = [3, 3], channels_last = 1",
            "[b, h - 2, w - 2, 4]",
        ),
    ],
)
def test_windows(op, signature, inputs, attributes, shape):
    assert judged(op, signature, inputs, 1, attributes).shape("y0") == shape


@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize("strides", [2, 3])
@pytest.mark.parametrize("layout", ["4,h,w", "h,w,4"])
def test_quantised_average_pools_of_any_stride(layout, strides, ceil_mode):
    attributes = (
        f"kernel_shape = [3, 3], strides = [{strides}, {strides}], ceil_mode = {ceil_mode}, "
        f"channels_last = {int(layout == 'h,w,4')}"
    )
    found = judged("QLinearAveragePool", f"uint8[b,{layout}] x, {Q}", "x, xs, xz, ys, yz", 1, attributes)
    assert found.values["y0"].shape is not None


def test_a_channels_last_convolution_without_kernel_shape_says_only_the_type():
    found = stated("NhwcConv", "float16[b,h,w,4] x, float16[6,3,3,4] k", "x, k", 1)
    assert (found.shape("y0"), found.values["y0"].dtype) == ("?", 10)
    sure = stated("NhwcConv", "float16[b,h,w,4] x, float16[6,3,3,4] k", "x, k", 1, "kernel_shape = [3, 3]")
    assert sure.shape("y0") == "[b, h - 2, w - 2, 6]"


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_quantised_operands_broadcast(op):
    found = judged(op, f"uint8[b,1,n] x, {TWO.format('uint8[m,1] k')}", "x, xs, xz, k, ks, kz, ys, yz", 1)
    assert (found.shape("y0"), found.values["y0"].dtype) == ("[b, m, n]", 2)


def test_quantised_where_broadcasts_three():
    found = judged(
        "QLinearWhere", f"bool[m,1] q, uint8[b,1,n] x, {TWO.format('uint8[1] k')}", "q, x, xs, xz, k, ks, kz, ys, yz", 1
    )
    assert found.shape("y0") == "[b, m, n]"


def test_quantised_concat():
    signature = "float ys, uint8 yz, uint8[b,n] x, float xs, uint8 xz, uint8[b,m] k, float ks, uint8 kz"
    found = judged("QLinearConcat", signature, "ys, yz, x, xs, xz, k, ks, kz", 1, "axis = -1")
    assert (found.shape("y0"), found.values["y0"].dtype) == ("[b, n + m]", 2)
    wrong = stated("QLinearConcat", "float ys, uint8 yz, uint8[b,n] x", "ys, yz, x", 1, "axis = 5")
    assert wrong.shape("y0") == "?"


def test_reductions_of_integers():
    kept = stated("QLinearReduceMean", f"uint8[b,4,n] x, {Q}", "x, xs, xz, ys, yz", 1, "axes = [-2]")
    assert kept.shape("y0") == "[b, 1, n]"
    gone = stated("ReduceSumInteger", "uint8[b,4,n] x", "x", 1, "axes = [1], keepdims = 0")
    assert (gone.shape("y0"), gone.values["y0"].dtype) == ("[b, n]", 6)


def test_quantise_and_dequantise():
    found = judged("QuantizeLinear", "float[b,4] x, float c, uint8 z", "x, c, z", 1)
    assert (found.shape("y0"), found.values["y0"].dtype) == ("[b, 4]", 2)
    found = judged("DequantizeLinear", "uint8[b,4] x, float c, uint8 z", "x, c, z", 1)
    assert (found.shape("y0"), found.values["y0"].dtype) == ("[b, 4]", 1)


def test_dynamically_quantised_lstm():
    signature = "float[s,b,4] x, uint8[2,4,12] w, uint8[2,3,12] r, float[2] ws, uint8[2] wz, float[2] rs, uint8[2] rz"
    found = judged(
        "DynamicQuantizeLSTM",
        signature,
        "x, w, r, , , , , , ws, wz, rs, rz",
        3,
        'hidden_size = 3, direction = "bidirectional"',
    )
    assert [found.shape(f"y{index}") for index in range(3)] == ["[s, 2, b, 3]", "[2, b, 3]", "[2, b, 3]"]
