"""Constant folding: what a node computes from known numbers becomes a known value."""
