"""Options about what simplifying does."""

from __future__ import annotations

from .arguments import looks_like_anything, looks_like_name, looks_like_size, size
from .parser import Parser

DEFAULT_LARGE = "1KB"


def add(parser: Parser) -> None:
    """Add the group to the parser."""
    group = parser.add_argument_group("simplification")
    parser.told_by(group.add_argument(
        "--skip-optimization", nargs="*", metavar="PASS", help="leave these passes out; without a name, all of them"),
        looks_like_name)
    parser.told_by(group.add_argument(
        "--enable-optimization", nargs="+", metavar="PASS", help="run these passes that are off by default"),
        looks_like_name)
    group.add_argument("--preset", metavar="NAME",
                       help="what the result is for: ort, tensorrt, tflite, coreml, npu or quantize; passes asked for or "
                       "left out by name come first (--list-presets)")
    parser.told_by(group.add_argument(
        "--keep-nodes", nargs="+", metavar="NODE",
        help="names of nodes, or regular expressions for whole names, that are not to change"), looks_like_anything)
    group.add_argument("--skip-constant-folding", action="store_true",
                       help="do not compute what depends on constants only")
    group.add_argument("--skip-shape-inference", action="store_true", help="do not infer shapes")
    parser.told_by(group.add_argument(
        "--no-large-tensor", nargs="?", type=size, const=size(DEFAULT_LARGE), metavar="SIZE",
        help=f"compute nothing larger than SIZE ({DEFAULT_LARGE} if it is not given); write 512, 10KB, 1.5GiB"),
        looks_like_size)
    parser.told_by(group.add_argument(
        "--providers", nargs="+", metavar="NAME",
        help="onnxruntime execution providers to compute constants with, as CUDAExecutionProvider"), looks_like_name)
    group.add_argument("--cuda", action="store_true", help="the same as --providers CUDAExecutionProvider "
                       "CPUExecutionProvider")
    group.add_argument("--enable-onnxruntime-optimization", action="store_true",
                       help="let onnxruntime rewrite the model at its BASIC level first; the report and the comparison "
                       "are still about the original")
    lists = parser.add_argument_group("lists")
    lists.add_argument("--list-default-optimizers", action="store_true",
                       help="print the passes that run by default, one a line; with --json, what they do too")
    lists.add_argument("--list-other-optimizers", action="store_true",
                       help="print the passes that --enable-optimization takes")
    lists.add_argument("--list-presets", action="store_true", help="print the presets and what they are for")
