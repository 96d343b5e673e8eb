"""The in-memory model: values, nodes, graphs, and the sizes and tensors they carry."""
