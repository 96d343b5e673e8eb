"""Passes the pipeline itself does: they have a name, so that they can be listed and skipped, but no rules."""

from __future__ import annotations

from .catalog import declare

declare("eliminate_deadend", "remove nodes none of whose results is read", kind="engine")
declare("eliminate_unused_initializer", "remove constants nobody reads", kind="engine")
declare("eliminate_duplicate_initializer", "store equal constants once (compared byte by byte)", kind="engine")
declare("extract_constant_to_initializer", "make Constant nodes initializers", kind="engine")
declare("eliminate_common_subexpression", "compute equal nodes once (never random ones)", kind="engine")
declare("fold_constants", "compute what depends on constants only", kind="engine")
declare("set_unique_name_for_nodes", "give every node a name of its own", kind="engine")
