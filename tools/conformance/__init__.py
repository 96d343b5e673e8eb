"""What the simplifier makes of onnx's own test suite; see docs/reference/conformance.md."""
