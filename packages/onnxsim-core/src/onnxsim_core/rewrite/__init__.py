"""The rewriting machinery: rules say what they would build, the driver changes the graph."""
