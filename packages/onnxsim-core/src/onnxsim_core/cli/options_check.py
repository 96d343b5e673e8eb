"""Options about comparing the simplified model with the original."""

from __future__ import annotations

import argparse

from .arguments import count, data_file, input_shape, looks_like_data_file, looks_like_shape, tolerance
from .parser import Parser

FILLS = ("random", "ones", "zeros", "arange")
RTOL, ATOL = 1e-4, 1e-5


def add(parser: Parser) -> None:
    """Add the group to the parser."""
    group = parser.add_argument_group("comparison")
    group.add_argument("-n", "--check", type=count, dest="check_n", metavar="CHECK_N",
                       help="compare the outputs of both models so many times; a pass that changes one is left out and "
                            "named, the rest is written; where no pass is to blame, or with --strict, nothing is")
    group.add_argument("--check-rtol", type=tolerance, default=RTOL, metavar="R",
                       help="relative tolerance (default %(default)g)")
    group.add_argument("--check-atol", type=tolerance, default=ATOL, metavar="A",
                       help="absolute tolerance (default %(default)g)")
    parser.told_by(group.add_argument(
        "--test-input-shape", nargs="+", type=input_shape, metavar="NAME:SHAPE",
        help="sizes of inputs for the comparison only"), looks_like_shape)
    parser.told_by(group.add_argument(
        "--input-data-path", nargs="+", type=data_file, metavar="NAME:FILE",
        help="inputs for the comparison: .npy, .npz, a TensorProto in .pb, anything else as raw bytes"),
        looks_like_data_file)
    group.add_argument("--input-fill", choices=FILLS, default=FILLS[0],
                       help="what generated inputs hold (default %(default)s)")
    group.add_argument("--strict", action="store_true",
                       help="fail where the models differ, instead of leaving out the pass that did it")
    group.add_argument("--custom-lib", metavar="FILE", help="onnxruntime library with custom operators")


def idle_options(args: argparse.Namespace) -> list[str]:
    """Options that say how to compare, for a run that compares nothing."""
    given = {
        "--check-rtol": args.check_rtol != RTOL,
        "--check-atol": args.check_atol != ATOL,
        "--test-input-shape": args.test_input_shape is not None,
        "--input-data-path": args.input_data_path is not None,
        "--input-fill": args.input_fill != FILLS[0],
        "--custom-lib": args.custom_lib is not None,
    }
    return [option for option, is_given in given.items() if is_given]
