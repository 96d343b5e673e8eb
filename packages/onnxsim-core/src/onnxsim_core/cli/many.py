"""`-o DIR`: many models, several at a time, in processes of their own, so that even a crash costs one model only."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import closing
from multiprocessing.connection import Connection, wait
from typing import Any

from .failures import DONE, FAILED, INTERRUPTED, attempt
from .jobs import Job
from .signals import orderly_exit
from .terminal import Terminal, lenient_output

Answer = dict[str, Any]
_BY_SIGNAL = 128
_PATIENCE_S = 10.0
"""How long workers may take to clean up."""


def simplify_many(jobs: list[Job], args: argparse.Namespace, terminal: Terminal) -> int:
    """Simplify all models; gives 1 if any failed."""
    from ..report.table import Row, Table

    os.makedirs(args.output_dir, exist_ok=True)
    answers: dict[Job, Answer] = {}
    with closing(_answers(jobs, args)) as found_answers:
        for job, answer in found_answers:
            answers[job] = answer
            terminal.say(f"[{len(answers)}/{len(jobs)}] {job.source}: {_line(answer)}")
            if answer["error"]:
                terminal.fail(f"{job.source}: {answer['error'].removeprefix(f'{job.source}: ')}")
    failed = [job for job in jobs if answers[job]["code"] != DONE]
    table = Table(("Model", "Nodes before", "Nodes after", "Time", "Result"))
    table.groups.append([
        Row(job.source, (str(found.get("nodes_before", "")), str(found.get("nodes_after", "")),
                         f"{found['elapsed_s']:.2f} s" if "elapsed_s" in found else "",
                         "failed" if found["code"] != DONE else "ok"), found["code"] == DONE)
        for job, found in ((job, answers[job]) for job in jobs)])
    terminal.table(table)
    terminal.say(f"{len(jobs) - len(failed)} of {len(jobs)} models simplified")
    terminal.json({"models": [answers[job] for job in jobs], "failed": len(failed)})
    return FAILED if failed else DONE


def _line(answer: Answer) -> str:
    if answer["code"] != DONE:
        return "failed"
    return f"{answer['nodes_before']} -> {answer['nodes_after']} nodes in {answer['elapsed_s']:.2f} s"


def _answers(jobs: list[Job], args: argparse.Namespace) -> Generator[tuple[Job, Answer], None, None]:
    """(job, answer) as they come."""
    context = multiprocessing.get_context("spawn")
    waiting = deque(jobs)
    busy: dict[Any, tuple[Any, Job]] = {}
    connection: Any
    try:
        while waiting or busy:
            while waiting and len(busy) < args.jobs:
                connection, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, args), daemon=True)
                process.start()
                theirs.close()
                busy[connection] = (process, _give(connection, waiting))
            for connection in wait(list(busy)):
                process, job = busy.pop(connection)
                try:
                    answer = connection.recv()
                except (EOFError, ConnectionResetError):
                    process.join()
                    yield job, _crashed(job, process.exitcode)
                    continue
                if waiting:
                    busy[connection] = (process, _give(connection, waiting))
                else:
                    connection.send(None)
                    process.join()
                yield job, answer
    finally:
        _end([process for process, _ in busy.values()])


def _end(processes: Iterable[Any]) -> None:
    """Stop workers; each has a moment to remove what it was writing."""
    if sys.platform != "win32":  # there, terminating leaves no moment; Ctrl-C reaches the workers by itself
        for process in processes:
            process.terminate()
    until = time.monotonic() + _PATIENCE_S
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()


def _give(connection: Any, waiting: deque[Job]) -> Job:
    job = waiting.popleft()
    connection.send(job)
    return job


def _crashed(job: Job, exit_code: int | None) -> Answer:
    how = f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"exit code {exit_code}"
    return {"input": job.source, "output": None, "ok": False, "code": FAILED,
            "error": f"its process ended with {how}"}


def _work(connection: Connection, args: argparse.Namespace) -> None:
    """A worker: takes jobs until there is none."""
    lenient_output()
    with orderly_exit():
        try:
            _serve(connection, args)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


def _serve(connection: Connection, args: argparse.Namespace) -> None:
    from .main import build_parser
    from .simplify import Run

    host = None
    if not args.no_plugins:
        from .extensions import extend

        host = extend(build_parser())
    while (job := connection.recv()) is not None:
        answer = _answer(Run(job, args, Terminal(quiet=True, label=job.source), host))
        if answer["code"] > _BY_SIGNAL:
            sys.exit(answer["code"])  # the signal is for the worker, not for one model
        connection.send(answer)


def _answer(run: Any) -> Answer:
    """Run one job; whatever happens becomes an answer."""
    found: Answer = {"input": run.job.source, "output": None, "ok": False}

    def go() -> int:
        os.makedirs(os.path.dirname(run.job.target) or ".", exist_ok=True)
        code, data = run.go()
        found.update(data)
        return int(code)

    code, text = attempt(go, verbose=run.args.verbose)
    found["code"] = code
    found["error"] = text.removeprefix("error: ") or found.get("error")
    return found
