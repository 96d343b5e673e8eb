"""Long runs of random models and of damaged files; see docs/how-to/fuzz.md."""
