"""Simplifying one model, or many, as the command line asks, and telling the result."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, OnnxsimError, OptionError
from ..options import Environment, profile_wanted
from . import options_extend
from .failures import DIFFERS, DONE
from .files import profile_file, spare_files, spare_weights
from .jobs import Job, jobs_of
from .options_check import idle_options
from .progress import Progress
from .terminal import Terminal

if TYPE_CHECKING:
    from ..api import SimplifyResult
    from ..passes.phases import Phases
    from ..plugins import CliHost, FormatHost
    from ..report.snapshot import Snapshot


def simplify_all(args: argparse.Namespace, terminal: Terminal, host: CliHost | None) -> int:
    """Do what the command line asks; gives the exit code."""
    for check in host.checks if host is not None else ():
        check(args)
    jobs = jobs_of(args)
    spare_files(args, jobs)
    idle = idle_options(args) if not jobs[0].check_n else []
    if idle:
        terminal.warn(f"{', '.join(idle)}: nothing is compared, give CHECK_N")
    if args.output_dir is not None:
        from .many import simplify_many

        return simplify_many(jobs, args, terminal)
    code, data = Run(jobs[0], args, terminal, host).go()
    terminal.json(data)
    if data["error"]:
        terminal.fail(data["error"])
    return code


class Run:
    """One model from reading to telling."""

    def __init__(self, job: Job, args: argparse.Namespace, terminal: Terminal, host: CliHost | None) -> None:
        self.job = job
        self.args = args
        self.terminal = terminal
        self.host = host

    def go(self) -> tuple[int, dict[str, Any]]:
        """The exit code and the result as JSON data.

        Raises:
            OnnxsimError: something went wrong; one about the model names its file.
        """
        try:
            return self._go()
        except ModelError as error:
            error.where = error.where or self.job.source
            raise

    def _go(self) -> tuple[int, dict[str, Any]]:
        from ..report.facts import measure
        from .extensions import formats, load_passes

        started = time.perf_counter()
        with_plugins = not self.args.no_plugins
        load_passes(with_plugins=with_plugins)
        containers = formats(with_plugins=with_plugins)
        said: list[str] = []
        with Progress(os.path.basename(self.job.source), drawn=self.terminal.talks) as progress:
            progress.step("reading", 0, 0)
            read = containers.reader(self.job.source)
            source = self.job.source if read is None else read(self.job.source)
            spare_weights(self.args, source)
            before = self._snapshot(source)
            result = self._simplify(source, containers, progress, said.append)
            after = measure(result.graph, result.nbytes) if before is not None else None
        for text in said:
            self.terminal.say(text)
        elapsed = time.perf_counter() - started
        data = self._data(result, elapsed)
        if before is not None and after is not None:
            data["original"], data["simplified"] = before.facts.data(), after.data()
        self._tell(result, before, after, elapsed, data)
        if result.ok:
            for function in self.host.afters if self.host is not None else ():
                function(self.args, result, self.terminal.say)
        return (DONE if result.ok else DIFFERS), data

    # --- work ------------------------------------------------------------------------------------------------------
    def _snapshot(self, source: Any) -> Snapshot | None:
        """The original, measured before it changes; not needed where nobody is told."""
        args = self.args
        with_outline = bool(args.explain or args.graph_diff or args.html or args.picture)
        if args.quiet and not with_outline:
            return None
        from ..report.snapshot import take

        return take(source, with_outline=with_outline)

    def _simplify(self, source: Any, containers: FormatHost, progress: Progress,
                  say: Callable[[str], None]) -> SimplifyResult:
        from ..api import simplify

        write = containers.writer(self.job.target)
        if write is not None and (self.args.save_as_external_data or self.args.external_data_threshold is not None):
            raise OptionError(f"{self.job.target} is one file: its weights cannot lie in another")
        settings = settings_of(self.args, source)
        original = source
        wanted = profile_wanted(profile_file(self.args), self.args.ort_profile, self.args.merge_ort_profile)
        with ExitStack() as stack:
            if self.args.enable_onnxruntime_optimization:
                from .preoptimize import optimized

                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="onnxsim-ort-"))
                source = optimized(source, folder)
            listener: Phases = progress
            if wanted is not None:
                from ..profile.session import profiling

                listener = stack.enter_context(profiling(wanted, progress, say, self.terminal.warn))
            result = simplify(source, self.job.check_n, output_path=None if write is not None else self.job.target,
                              compare_with=original, phases=listener, **settings)
        if source is not original:
            from ..ir.read import read_model

            result.report.nodes_before = sum(len(graph) for graph in read_model(original).graphs())
        if self.args.node_reduction_plot is not None:
            self._plot(wanted, say)
        if write is not None and result.ok:
            write(result.graph, self.job.target)
        return result

    def _plot(self, wanted: Environment | None, say: Callable[[str], None]) -> None:
        """Draw the node counts of the profile; what hinders that is a warning."""
        from ..profile.plot import plot_node_reduction

        assert wanted is not None and wanted.profile is not None
        try:
            drawn = plot_node_reduction(wanted.profile, self.args.node_reduction_plot or None)
            say(f"{drawn}: node counts round by round")
        except OnnxsimError as error:
            self.terminal.warn(str(error))

    # --- telling ---------------------------------------------------------------------------------------------------
    def _data(self, result: SimplifyResult, elapsed: float) -> dict[str, Any]:
        report, check = result.report, result.check
        return {
            "input": self.job.source,
            "output": self.job.target if result.ok else None,
            "ok": result.ok,
            "check": None if check is None else {
                "runs": check.runs, "ok": check.ok, "differences": [str(one) for one in check.mismatches],
                "sizes": check.sizes},
            "nodes_before": report.nodes_before,
            "nodes_after": report.nodes_after,
            "rounds": report.rounds,
            "converged": report.converged,
            "passes": dict(sorted(report.fired.items())),
            "left_out": dict(report.blamed),
            "warnings": list(report.warnings),
            "elapsed_s": round(elapsed, 4),
            "error": None,
        }

    def _tell(self, result: SimplifyResult, before: Any, after: Any, elapsed: float, data: dict[str, Any]) -> None:
        from ..report.quantity import counted

        terminal, report = self.terminal, result.report
        for warning in report.warnings:
            terminal.warn(warning)
        if before is not None and after is not None:
            from ..report.table import simplification_table

            table = simplification_table(before.facts, after)
            terminal.table(table)
            if before.outline is not None:
                from .drawings import tell_changes

                try:
                    tell_changes(self.args, terminal, before.outline, result, table, data)
                except ModelError as error:
                    if result.ok:
                        error.hint = error.hint or f"the simplified model is in {self.job.target}"
                    raise
        for name, count in sorted(report.fired.items(), key=lambda item: -item[1]):
            terminal.detail(f"{name}: {count}")
        terminal.detail(f"{report.rounds} rounds, {elapsed:.2f} s")
        if not result.ok:
            data["error"] = f"the simplified model differs: {result.check}; {self.job.target} was not written"
            return
        checked = f", {result.check}" if result.check is not None else ""
        terminal.say(f"{self.job.target}: {counted(report.nodes_before, 'node')} -> {report.nodes_after}{checked}")


def settings_of(args: argparse.Namespace, source: Any) -> dict[str, Any]:
    """The parsed options as arguments of `simplify()`.

    Raises:
        OptionError: an input is given two shapes, or its data cannot be read.
    """
    overwrite = shapes_of(args.overwrite_input_shape, "--overwrite-input-shape")
    test = shapes_of(args.test_input_shape, "--test-input-shape")
    data = None
    if args.input_data_path:
        from .input_data import load_inputs

        data = load_inputs(args.input_data_path, source, {**overwrite, **test})
    providers = ["CUDAExecutionProvider", "CPUExecutionProvider"] if args.cuda else args.providers
    return {
        "perform_optimization": args.skip_optimization != [],
        "skipped_optimizers": args.skip_optimization or None,
        "extra_optimizers": args.enable_optimization,
        "preset": args.preset,
        "keep_nodes": args.keep_nodes,
        "strict": args.strict,
        "skip_constant_folding": args.skip_constant_folding,
        "skip_shape_inference": args.skip_shape_inference,
        "overwrite_input_shapes": overwrite or None,
        "test_input_shapes": test or None,
        "unused_output": args.unused_output,
        "mutable_initializer": args.mutable_initializer,
        "initializers_as_constants": not args.initializers_as_non_constants,
        "include_subgraph": args.include_subgraph,
        "tensor_size_threshold": args.no_large_tensor,
        "check_rtol": args.check_rtol,
        "check_atol": args.check_atol,
        "input_fill": args.input_fill,
        "input_data": data,
        "custom_lib": args.custom_lib,
        "providers": providers,
        "save_as_external_data": args.save_as_external_data,
        "external_data_threshold": args.external_data_threshold,
        **options_extend.settings(args),
        "trace": args.explain or args.html is not None,
    }


def shapes_of(pairs: list[tuple[str | None, list[int | str]]] | None, option: str) -> dict[Any, Any]:
    """Shapes by input name."""
    shapes: dict[Any, Any] = {}
    for name, sizes in pairs or ():
        if name in shapes:
            raise OptionError(f"{option} gives {name or 'the input'} two shapes")
        shapes[name] = sizes
    return shapes
