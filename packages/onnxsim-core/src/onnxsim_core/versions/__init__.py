"""Writing a model for another version of the default operator set, node by node and without its weights."""
