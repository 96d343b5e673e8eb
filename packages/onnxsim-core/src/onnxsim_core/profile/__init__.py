"""What a model costs (operations, bytes, live memory), and what simplifying it costs (time and memory by phase)."""
