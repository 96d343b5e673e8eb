"""Model-local functions: their bodies as graphs, what they give to a call, and putting a body in a call's place."""
