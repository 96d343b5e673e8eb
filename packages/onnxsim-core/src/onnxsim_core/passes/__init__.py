"""Passes: named sets of rewrite rules, and the tidying that ends a run."""
