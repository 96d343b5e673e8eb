"""`onnxsim.profile_plot`, as scripts written for earlier releases import it."""

from onnxsim_core.profile.plot import load_node_counts, plot_node_reduction

__all__ = ["load_node_counts", "plot_node_reduction"]
