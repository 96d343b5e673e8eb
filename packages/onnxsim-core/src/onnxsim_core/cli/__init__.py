"""The `onnxsim` command."""
