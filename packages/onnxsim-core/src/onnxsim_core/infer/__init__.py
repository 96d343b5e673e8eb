"""Shape, type and small-value inference over the graph."""
