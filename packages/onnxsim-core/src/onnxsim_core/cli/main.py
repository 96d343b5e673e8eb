"""The `onnxsim` command: `main(argv) -> exit code`.

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 the simplified model differs, 130 interrupted,
128 + N ended by signal N.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._version import __version__
from . import options_check, options_extend, options_model, options_old, options_passes, options_report
from .failures import guarded
from .parser import DESCRIPTION, Parser, UsageError
from .signals import orderly_exit
from .terminal import Terminal, lenient_output

EPILOG = "Exit codes: 0 done, 1 failed, 2 usage, 3 the comparison failed and nothing was written."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    lenient_output()
    with orderly_exit():
        return guarded(lambda: run(words), verbose=any(word in ("-v", "--verbose") for word in words))


def run(words: list[str]) -> int:
    """Run the command; errors are raised."""
    if words[:1] == ["inspect"]:
        from .inspect import run as inspect

        return inspect(words[1:])
    if words in (["-v"], ["-V"], ["--version"]):
        print(f"onnxsim {__version__}")
        return 0
    host = None
    parser = build_parser()
    if "--no-plugins" not in words:
        from .extensions import extend

        host = extend(parser)
        if words and words[0] in host.commands:
            return host.commands[words[0]](words[1:])
    if not words:
        parser.print_usage()
        return 2
    args = parser.parse(words)
    if args.version:
        print(f"onnxsim {__version__}")
        return 0
    terminal = Terminal(quiet=args.quiet, verbose=args.verbose, as_json=args.json)
    for note in options_old.translate(args):
        terminal.warn(note)
    if args.list_default_optimizers or args.list_other_optimizers:
        from .lists import print_passes

        return print_passes(terminal, default=args.list_default_optimizers, other=args.list_other_optimizers)
    if args.list_presets:
        from .lists import print_presets

        return print_presets(terminal)
    check_conflicts(args)
    from .simplify import simplify_all

    return simplify_all(args, terminal, host)


def build_parser() -> Parser:
    """The parser with the options of the core."""
    parser = Parser(description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("paths", nargs="*", metavar="PATH",
                        help="the model, where to write the simplified one, and how many times to compare them")
    for group in (options_model, options_extend, options_passes, options_check, options_report, options_old):
        group.add(parser)
    return parser


def check_conflicts(args: argparse.Namespace) -> None:
    """Refuse what cannot be done together.

    Raises:
        UsageError: two options contradict each other, or one needs another.
    """
    if args.cuda and args.providers:
        raise UsageError("--cuda is short for --providers CUDAExecutionProvider CPUExecutionProvider: give one of them")
    if args.quiet and args.json:
        raise UsageError("--quiet and --json contradict each other")
    if args.jobs != 1 and args.output_dir is None:
        raise UsageError("-j is for many models: give their folder with -o")
    if args.jobs < 1:
        raise UsageError("-j takes the number of processes, at least 1")
    if args.skip_optimization == [] and args.enable_optimization:
        raise UsageError("--skip-optimization without a name leaves out all passes, --enable-optimization too")
    for option in ("html", "picture", "profile", "node_reduction_plot"):
        if args.output_dir is not None and getattr(args, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} writes one file: it cannot be used with -o")


