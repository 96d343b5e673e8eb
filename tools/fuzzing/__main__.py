"""`python -m fuzzing graphs` tries random models; `python -m fuzzing show 17` reduces the one of a seed."""

import argparse
import sys
from pathlib import Path

from . import graphs


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzzing", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    models = commands.add_parser("graphs", help="random models")
    models.add_argument("--first", type=int, default=0, help="the first seed")
    models.add_argument("--count", type=int, default=20_000, help="how many seeds")
    models.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    models.add_argument("--families", default="", help="take steps from these only")
    models.add_argument("--log", type=Path, help="append what goes wrong to this file")
    one = commands.add_parser("show", help="reduce the model of one seed and print it")
    one.add_argument("seed", type=int)
    one.add_argument("--families", default="")
    work = commands.add_parser("work")
    work.add_argument("first", type=int)
    work.add_argument("last", type=int)
    work.add_argument("families", nargs="?", default="")
    options = parser.parse_args()
    families = tuple(filter(None, options.families.split(",")))
    if options.command == "graphs":
        return 1 if graphs.session(options.first, options.count, options.seconds, families, options.log) else 0
    if options.command == "show":
        graphs.show(options.seed, families)
    else:
        graphs.work(options.first, options.last, families)
    return 0


if __name__ == "__main__":
    sys.exit(main())
