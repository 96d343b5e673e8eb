"""Classic operators."""
