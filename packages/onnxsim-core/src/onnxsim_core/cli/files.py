"""Which files a run reads and writes; nothing it writes may take the place of another of them."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError
from ..options import environment, profile_wanted
from .jobs import Job


@dataclass(frozen=True, slots=True)
class Use:
    """A file and what names it on the command line. A model may be written over the one it is made from: the two have
    one `job`.
    """

    path: str
    label: str
    job: Job | None = None


def spare_files(args: argparse.Namespace, jobs: list[Job]) -> None:
    """Find out before the work that what a run writes are different files, and none that it reads.

    Raises:
        OptionError: two options, or an option and a model, name the same file.
    """
    taken: dict[Hashable, Use] = {}
    for use in _read(args, jobs):
        for key in _keys(use.path):
            taken.setdefault(key, use)
    for use in _written(args, jobs):
        for key in _keys(use.path):
            other = taken.get(key)
            if other is not None and (other.job is None or other.job is not use.job):
                raise OptionError(f"{use.label} and {other.label} are the same file", where=use.path,
                                  hint="what is written needs a name of its own")
            taken[key] = use


def spare_weights(args: argparse.Namespace, source: Any) -> None:
    """Find out before the work that no report takes the place of the weights of a model, which lie in files beside it.

    Raises:
        OptionError: an option names such a file.
        ModelError: the model cannot be read.
    """
    present = [use for use in _reports(args) if os.path.isfile(use.path)]
    if not present:
        return
    from ..ir.read import read_model

    held = {file.identity for file in read_model(source).files}
    for use in present:
        info = os.stat(use.path)
        if (info.st_dev, info.st_ino) in held:
            raise OptionError(f"{use.label} and the weights of INPUT are the same file", where=use.path,
                              hint="what is written needs a name of its own")


def profile_file(args: argparse.Namespace) -> str | None:
    """Where the profile goes; the plot is drawn from one."""
    if args.profile is None and args.node_reduction_plot is not None:
        return ""
    found: str | None = args.profile
    return found


def _read(args: argparse.Namespace, jobs: list[Job]) -> Iterator[Use]:
    for _, path in args.input_data_path or ():
        yield Use(path, "--input-data-path")
    for path in args.rewrite_rules or ():
        yield Use(path, "--rewrite-rules")
    if args.custom_lib:
        yield Use(args.custom_lib, "--custom-lib")
    for job in jobs:
        yield Use(job.source, "INPUT" if len(jobs) == 1 else f"INPUT {job.source}", job)


def _written(args: argparse.Namespace, jobs: list[Job]) -> Iterator[Use]:
    has_data = args.output_dir is None or args.save_as_external_data or args.external_data_threshold is not None
    for job in jobs:
        output = "OUTPUT" if args.output_dir is None else f"the output of {job.source}"
        yield Use(job.target, output, job)
        if has_data:
            yield Use(f"{job.target}.data", f"the weights of {output}")
    yield from _reports(args)


def _reports(args: argparse.Namespace) -> Iterator[Use]:
    if args.html:
        yield Use(args.html, "--html")
    if args.picture:
        yield Use(args.picture, "--picture")
    given = profile_file(args)
    wanted = profile_wanted(given, args.ort_profile, args.merge_ort_profile)
    if wanted is None or wanted.profile is None:
        return
    yield Use(wanted.profile, "ONNXSIM_PROFILE" if given is None and environment().profile else "--profile")
    if args.node_reduction_plot is not None:
        yield Use(args.node_reduction_plot or f"{wanted.profile}_node_reduction.png", "--node-reduction-plot")


def _keys(path: str) -> list[Hashable]:
    """What two names of one file have in common; nothing for a device or a pipe, which holds nothing to lose."""
    try:
        name = os.path.normcase(os.path.realpath(path))
        info = os.stat(path)
    except OSError:
        return [name]
    except ValueError:
        return []
    return [name, (info.st_dev, info.st_ino)] if stat.S_ISREG(info.st_mode) else []
