"""Real exports, end to end: smaller, valid, equal, and at their fixed point.

`LEFT` is what the best of the tools measured beside this one leaves of a model, Constant nodes not counted; the
structures come from torch, torchvision, transformers, timm, diffusers, onnxscript and skl2onnx, weights are drawn.
"""

from pathlib import Path

import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_core.check import check_equal
from onnxsim_testkit.packed import unpack

# The comparison is the core's own, and onnx's evaluator computes float32 sums in another precision.
pytestmark = pytest.mark.runtime

HERE = Path(__file__).parent
SIZES = {
    "hf_t5_encoder_ts17_dyn": {"input_ids": (2, 9), "attention_mask": (2, 9)},
    "q_dynamic_bert_ts13": {"input_ids": (2, 9), "attention_mask": (2, 9)},
    "timm_mobilevit_s_ts17_dynhw": {"x": (1, 3, 96, 64)},
}
LEFT = {
    "ctl_if_script_ts17": 29,
    "ctl_loop_script_ts16": 60,
    "fn_local_functions_onnx18": 34,
    "hf_t5_encoder_ts17_dyn": 278,
    "hf_whisper_enc_ts17_static": 163,
    "ml_sklearn_rf_pipeline": 199,
    "q_dynamic_bert_ts13": 510,
    "rnn_gru_crnn_ts11_static": 25,
    "scale_cblock_00500": 150,
    "scale_tblock_00500": 195,
    "sd_vae_decoder_ts14_dyn": 333,
    "timm_mobilevit_s_ts17_dynhw": 417,
    "timm_vit_tiny_ts11_nofold": 574,
    "tv_shufflenet_ts11_dyn": 186,
    "tv_ssdlite_ts17_static": 630,
}


def count(nodes) -> int:
    """Nodes at every depth without Constants."""
    total = 0
    for node in nodes:
        total += node.op_type != "Constant"
        total += sum(count(a.g.node) for a in node.attribute if a.type == onnx.AttributeProto.GRAPH)
    return total


def test_every_model_is_listed():
    assert {path.stem for path in HERE.glob("*.onnxpack")} == set(LEFT)


@pytest.mark.parametrize("name", sorted(LEFT))
def test_model(name, tmp_path):
    source, target = tmp_path / "model.onnx", tmp_path / "simple.onnx"
    onnx.save(unpack(HERE / f"{name}.onnxpack"), source)

    report = simplify(source, output_path=target).report

    result = onnx.load(target)
    onnx.checker.check_model(result)
    original = onnx.load(source)
    assert report.converged
    assert list(result.graph.output) == list(original.graph.output)
    assert list(result.graph.input) == list(original.graph.input)
    left = count(result.graph.node) + sum(count(f.node) for f in result.functions)
    assert left <= LEFT[name]
    assert target.stat().st_size <= source.stat().st_size * 1.25
    verdict = check_equal(source, target, n=2, rtol=1e-4, atol=1e-5, input_shapes=SIZES.get(name))
    assert verdict.ok, str(verdict)
    again = simplify(target).model
    assert [n.op_type for n in again.graph.node] == [n.op_type for n in result.graph.node]
