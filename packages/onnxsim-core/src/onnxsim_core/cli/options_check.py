"""Options about comparing the simplified model with the original."""

from __future__ import annotations

from .arguments import count, data_file, input_shape, looks_like_data_file, looks_like_shape, tolerance
from .parser import Parser

FILLS = ("random", "ones", "zeros", "arange")


def add(parser: Parser) -> None:
    """Add the group to the parser."""
    group = parser.add_argument_group("comparison")
    group.add_argument("-n", "--check", type=count, dest="check_n", metavar="CHECK_N",
                       help="compare the outputs of both models so many times; where they differ, nothing is written")
    group.add_argument("--check-rtol", type=tolerance, default=1e-4, metavar="R",
                       help="relative tolerance (default %(default)g)")
    group.add_argument("--check-atol", type=tolerance, default=1e-5, metavar="A",
                       help="absolute tolerance (default %(default)g)")
    parser.told_by(group.add_argument(
        "--test-input-shape", nargs="+", type=input_shape, metavar="NAME:SHAPE",
        help="sizes of inputs for the comparison only"), looks_like_shape)
    parser.told_by(group.add_argument(
        "--input-data-path", nargs="+", type=data_file, metavar="NAME:FILE",
        help="inputs for the comparison: .npy, .npz, a TensorProto in .pb, anything else as raw bytes"),
        looks_like_data_file)
    group.add_argument("--input-fill", choices=FILLS, default="random",
                       help="what generated inputs hold (default %(default)s)")
    group.add_argument("--custom-lib", metavar="FILE", help="onnxruntime library with custom operators")
