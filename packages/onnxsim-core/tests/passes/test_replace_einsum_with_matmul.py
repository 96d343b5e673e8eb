"""replace_einsum_with_matmul: equations that are products of matrices, with as few transposes as needed."""

import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes import catalog
from onnxsim_core.passes.replace_einsum_with_matmul import matmul
from onnxsim_testkit import model

BOUND = {"rtol": 1e-5, "atol": 1e-6}
SIZES = {"b": 2, "h": 3, "i": 4, "j": 5, "k": 6}


def einsum(equation: str, kind: str = "float") -> str:
    terms, _, result = equation.replace(" ", "").partition("->")
    shapes = [",".join(str(SIZES[label]) for label in labels) for labels in (*terms.split(","), result)]
    head = f"g ({kind}[{shapes[0]}] x, {kind}[{shapes[1]}] y) => ({kind}[{shapes[2]}] z)"
    return f'{head} {{ z = Einsum<equation="{equation}">(x, y) }}'


@pytest.mark.parametrize("equation", ["ik,kj->ij", "bik,bkj->bij", "bhik, bhkj -> bhij", "bik,kj->bij"])
def test_a_plain_product(equation):
    text = einsum(equation)
    assert_rewrites(matmul, text, text[: text.index("{")] + "{ z = MatMul(x, y) }", **BOUND)


@pytest.mark.parametrize(
    ("equation", "transposes"),
    [
        ("bik,bjk->bij", 1),
        ("bki,bkj->bij", 1),
        ("bki,bjk->bij", 2),
        ("bik,bkj->bji", 2),
        ("ik,jk->ij", 1),
        ("ihk,jhk->hij", 2),
        ("bihk,bjhk->bhij", 2),
        ("ik,bkj->bij", 0),
        ("kj,bik->bij", 0),
        ("bki,jk->bij", 2),
    ],
)
def test_transposes(equation, transposes):
    original = model(einsum(equation), opset=17)
    result, driver = apply(matmul, original)
    assert driver.changes == 1
    assert sorted(node.op_type for node in result.graph.node) == ["MatMul"] + ["Transpose"] * transposes
    assert_same_model(original, result, **BOUND)


def test_it_is_off_by_default():
    assert not catalog.CATALOG["replace_einsum_with_matmul"].default


@pytest.mark.parametrize(
    ("reason", "equation"),
    [
        ("it is not an equation of two operands spelt out", "ik,kj"),
        ("it is not an equation of two operands spelt out", "...ik,...kj->...ij"),
        ("it is not an equation of two operands spelt out", "ik,kj->"),
        ("a label is repeated", "ii,ij->ij"),
        ("it is not a product of matrices", "ij,ij->ij"),
        ("it is not a product of matrices", "bik,bkj->bi"),
        ("it is not a product of matrices", "ihk,khj->ij"),
        ("it is not a product of matrices", "bik,hkj->bhij"),
        ("it is not a product of matrices", "bik,bkj->ibj"),
        ("it is not a product of matrices", "i,j->ij"),
        ("it is not a product of matrices", "ik,k->i"),
    ],
)
def test_skips(reason, equation):
    text = einsum(equation.replace("...", "b")).replace(equation.replace("...", "b"), equation)
    assert_skips(matmul, text, reason)


def test_skips_one_and_three_operands():
    assert_skips(
        matmul,
        'g (float[2,3] x) => (float[3,2] z) { z = Einsum<equation="ij->ji">(x) }',
        "it is not an equation of two operands spelt out",
    )


def test_skips_sizes_that_may_differ():
    assert_skips(
        matmul,
        'g (float[m,k] x, float[l,n] y) => (float[m,n] z) { z = Einsum<equation="ik,kj->ij">(x, y) }',
        "the summed sizes may differ",
    )
