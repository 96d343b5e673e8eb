"""Options about what is told of a run."""

from __future__ import annotations

from .arguments import looks_like_png, looks_like_trace
from .parser import Parser


def add(parser: Parser) -> None:
    """Add the group to the parser."""
    group = parser.add_argument_group("report")
    group.add_argument("-q", "--quiet", action="store_true", help="print nothing but warnings and errors")
    group.add_argument("-v", "--verbose", action="store_true",
                       help="say more; tracebacks of errors; alone, print the version")
    group.add_argument("-V", "--version", action="store_true", help="print the version")
    group.add_argument("--json", action="store_true", help="print the result as JSON instead of the table")
    group.add_argument("--explain", action="store_true", help="say what became of every node that is gone, and why")
    group.add_argument("--graph-diff", action="store_true", help="list nodes and values that differ")
    group.add_argument("--html", metavar="FILE", help="write a page with both graphs side by side")
    group.add_argument("--picture", metavar="FILE", help="draw both graphs into an SVG file")
    group.add_argument("--no-plugins", action="store_true", help="ignore what other installed packages add")
    profile = parser.add_argument_group("profile")
    parser.told_by(profile.add_argument(
        "--profile", nargs="?", const="onnxsim_profile.json", metavar="FILE",
        help="measure time and memory by phase; a trace for ui.perfetto.dev (default %(const)s)"), looks_like_trace)
    parser.told_by(profile.add_argument(
        "--ort-profile", nargs="?", const="onnxsim_ort_profile", metavar="PREFIX",
        help="traces of onnxruntime's own, one per session (default %(const)s)"), looks_like_trace)
    profile.add_argument("--merge-ort-profile", action="store_true",
                         help="put onnxruntime's events into the trace of --profile")
    parser.told_by(profile.add_argument(
        "--node-reduction-plot", nargs="?", const="", metavar="FILE",
        help="plot the number of nodes round by round into a PNG file; needs matplotlib"), looks_like_png)
