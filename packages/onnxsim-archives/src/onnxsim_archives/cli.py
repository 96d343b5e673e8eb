"""`onnxsim archive export` and `onnxsim archive import`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from onnxsim_core.cli.arguments import size
from onnxsim_core.cli.failures import guarded
from onnxsim_core.cli.parser import UsageError
from onnxsim_core.cli.progress import Progress


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "), hint=f"{self.prog} --help says more")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code: 0 done, 1 failed, 2 the command line is wrong."""
    words = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: run(words))


def run(words: list[str]) -> int:
    """Run the command; errors are raised."""
    parser = _parser()
    args = parser.parse_args(words)
    if args.action is None:
        parser.print_help()
        return 2
    with Progress(os.path.basename(args.source)) as progress:

        def step(done: int, total: int) -> None:
            progress.step("writing", done, total)

        if args.action == "export":
            _export(args.source, args.target, args.format, step)
        else:
            from .read import unpack_archive

            unpack_archive(args.source, args.target, refer=args.refer, progress=step,
                           external_data_threshold=args.external_data_threshold)
    print(args.target)
    return 0


def _parser() -> _Parser:
    parser = _Parser(prog="onnxsim archive", description="Whole models in one .safetensors or .gguf file, as they are: "
                     "to simplify them too, give such files to onnxsim itself.")
    actions = parser.add_subparsers(dest="action", metavar="export | import")
    export = actions.add_parser("export", help="a model into an archive", description="Write a model into an archive.")
    export.add_argument("source", metavar="MODEL", help="an .onnx file or another archive")
    export.add_argument("target", metavar="ARCHIVE", help="the file to write")
    export.add_argument("--format", choices=("safetensors", "gguf"), help="if the name of ARCHIVE does not tell")
    importing = actions.add_parser("import", help="an archive into an .onnx file",
                                   description="Write the model of an archive to an .onnx file.")
    importing.add_argument("source", metavar="ARCHIVE", help="the archive")
    importing.add_argument("target", metavar="MODEL", help="the file to write")
    where = importing.add_mutually_exclusive_group()
    where.add_argument("--refer", action="store_true",
                       help="leave the weights in the archive, which lies beside MODEL or below, and refer to them")
    where.add_argument("--external-data-threshold", type=size, metavar="SIZE",
                       help="put weights that take more than this into MODEL.data; over 2GB it is done anyway")
    return parser


def _export(source: str, target: str, chosen: str | None, step: Callable[[int, int], None]) -> None:
    from . import write
    from .formats import format_of

    found = format_of(target)
    name = chosen or (found.name if found is not None else None)
    if name is None:
        raise UsageError(f"{target!r} tells no format", hint="end it with .safetensors or .gguf, or give --format")
    export = write.export_gguf if name == "gguf" else write.export_safetensors
    export(source, target, progress=step)
