"""Random models and damaged files.

    python -m fuzzing graphs      simplify random models and compare
    python -m fuzzing show 17     reduce the model of one seed and print it
    python -m fuzzing files       simplify damaged files
    python -m fuzzing file 17     write the file of one seed
    python -m fuzzing cover       let atheris look for files that lead to new code
"""

import argparse
import sys
from pathlib import Path

from . import files, graphs
from .sessions import outcomes, session


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzzing", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("graphs", "files"):
        long = commands.add_parser(name)
        long.add_argument("--first", type=int, default=0, help="the first seed")
        long.add_argument("--count", type=int, default=20_000, help="how many seeds")
        long.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
        long.add_argument("--families", default="", help="take the steps of random models from these only")
        long.add_argument("--log", type=Path, help="append what goes wrong to this file")
    for name in ("show", "file"):
        one = commands.add_parser(name)
        one.add_argument("seed", type=int)
        one.add_argument("--families", default="")
    cover = commands.add_parser("cover")
    cover.add_argument("--seconds", type=int, default=3600)
    work = commands.add_parser("work")
    work.add_argument("what", choices=("graphs", "files"))
    work.add_argument("first", type=int)
    work.add_argument("last", type=int)
    work.add_argument("families", nargs="?", default="")
    return run(parser.parse_args())


def run(options: argparse.Namespace) -> int:
    command = options.command
    families = tuple(filter(None, getattr(options, "families", "").split(",")))
    if command in ("graphs", "files"):
        found = outcomes(command, options.first, options.count, options.seconds, options.families)
        return 1 if session(found, options.log) else 0
    if command == "show":
        graphs.show(options.seed, families)
    elif command == "file":
        files.show(options.seed)
    elif command == "cover":
        files.cover(options.seconds)
    elif options.what == "graphs":
        graphs.work(options.first, options.last, families)
    else:
        files.work(options.first, options.last)
    return 0


if __name__ == "__main__":
    sys.exit(main())
