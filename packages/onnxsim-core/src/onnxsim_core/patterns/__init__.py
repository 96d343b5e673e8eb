"""Rewrite rules given as data: a pair of functions, one to find and one to put in its place."""
