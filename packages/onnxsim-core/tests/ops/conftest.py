"""Every operator family is registered before the tests of this folder are collected."""

from onnxsim_core.ops import load

load()
