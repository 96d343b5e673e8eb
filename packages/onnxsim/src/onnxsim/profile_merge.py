"""`onnxsim.profile_merge`, as scripts written for earlier releases import it."""

from onnxsim_core.profile.merge import merge_ort_traces, merge_ort_traces_into_profile

__all__ = ["merge_ort_traces", "merge_ort_traces_into_profile"]
