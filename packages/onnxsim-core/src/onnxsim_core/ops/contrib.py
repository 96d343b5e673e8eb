"""Operators of other domains: onnxruntime, mmdeploy, QONNX."""
