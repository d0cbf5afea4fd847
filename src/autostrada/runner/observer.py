"""
What is seen of a trial from outside: ``autostrada-engine observe`` runs beside it.

Its lines go to a file in memory and are read when the trial is over: nobody waits for
the other. What cannot be seen is named, with the reason, and never ends a trial.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from autostrada.engine.messages import Sample
from autostrada.engine.plans import observe_plan
from autostrada.engine.process import engine_command, observe_words, send_document
from autostrada.experiment.document import first_fault
from autostrada.machine.process import Process, prefer
from autostrada.store import record

EVERY_MS = 100.0
"""The sampling interval of a trial that is long, or of unknown length."""

EVERY_MS_MIN = 3.0
"""A sample takes 0.1 to 0.2 ms of a core: more would be part of the figures."""

SAMPLES_MIN = 5
"""So many are made at least in a trial that is as short as was expected."""

SAMPLE_LIMIT_S = 0.5
"""How long the first sample is waited for, and the one after the end."""

END_LIMIT_S = 2.0
_ASK_EVERY_S = 0.005
_LINE_BYTES_MAX = 256 * 1024
"""Of a sample of hundreds of cores; longer lines are not found in the file's end."""


class Observer:
    """An observer beside a trial."""

    def __init__(self, process: Process, file: int, every_ms: float) -> None:
        self._process = process
        self._file = file
        self._every_ms = every_ms
        self._lost = "the client was not started"
        self.start_ns = time.monotonic_ns()
        """From when samples are counted: the first byte sent, once that is known."""

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def begin(self, processes: Mapping[str, int]) -> None:
        """Name the processes; return when they have been sampled."""
        self._lost = ""
        plan = observe_plan(processes=processes, every_ms=self._every_ms)
        send_document(self._process, plan)
        self.await_sample(0)
        self.start_ns = time.monotonic_ns()

    def await_sample(self, since_ns: int) -> None:
        """Wait for a sample of ``since_ns`` or later, but not for long."""
        deadline_s = time.monotonic() + SAMPLE_LIMIT_S
        while time.monotonic() < deadline_s and self._process.status() is None:
            if self._latest_ns() >= since_ns:
                return
            time.sleep(_ASK_EVERY_S)

    def end(self) -> None:
        """Ask it to end, and see that it does."""
        self._process.close_input()
        try:
            status = self._process.wait(time.monotonic() + END_LIMIT_S)
        except TimeoutError:
            self._process.end()
            self._lost = f"the observer did not end within {END_LIMIT_S:.0f} s"
            return
        if status != 0 and not self._lost:
            why = self._process.stderr_tail.partition("\n")[0] or f"status {status}"
            self._lost = f"the observer ended by itself: {why}"

    def observation(self) -> record.Observation:
        """Return what was seen; call it when the observer has ended."""
        text = os.pread(self._file, os.fstat(self._file).st_size, 0)
        seen = read_samples(text.decode(errors="replace").splitlines(), self.start_ns)
        if not self._lost:
            return seen
        lost = record.MissingFigure(figure="observation", reason=self._lost)
        return _together([seen, record.Observation(missing_figures=(lost,))])

    def _latest_ns(self) -> int:
        """Return the instant of the latest sample, or -1 before the first."""
        size = os.fstat(self._file).st_size
        start = max(0, size - _LINE_BYTES_MAX)
        lines = os.pread(self._file, size - start, start).split(b"\n")
        if len(lines) < 2:
            return -1
        try:
            return int(json.loads(lines[-2])["at_ns"])
        except (ValueError, KeyError, TypeError):
            return -1


def sampling_interval_ms(expected_ns: int | None) -> float:
    """Return the interval for a trial of which it is known how long it may be."""
    if expected_ns is None:
        return EVERY_MS
    return min(EVERY_MS, max(EVERY_MS_MIN, expected_ns / SAMPLES_MIN / 1e6))


@contextmanager
def observing(
    engine: Path, *, cpus: frozenset[int], every_ms: float = EVERY_MS
) -> Iterator[Observer]:
    """
    Run an observer; it samples nothing before its processes are named.

    It is an equal of what is measured: beside preferred processes that use all of its
    core, one that is not would sample too late by seconds.
    """
    file = os.memfd_create("samples")
    try:
        command = engine_command(observe_words(engine), cpus, output=file)
        with Process(command) as process:
            prefer(process.pid)
            yield Observer(process, file, every_ms)
    finally:
        os.close(file)


def read_samples(lines: Iterable[str], start_ns: int) -> record.Observation:
    """Make samples of an observer's lines; instants are counted from ``start_ns``."""
    return _together(_read_sample(line, start_ns) for line in lines)


def _read_sample(line: str, start_ns: int) -> record.Observation:
    try:
        return _samples(Sample.model_validate_json(line), start_ns)
    except ValidationError as error:
        fault = first_fault(error)
    reason = f"the observer printed {line[:80]!r}, which is not understood: {fault}"
    unknown = record.MissingFigure(figure="sample", reason=reason)
    return record.Observation(missing_figures=(unknown,))


def _samples(sample: Sample, start_ns: int) -> record.Observation:
    """Make samples of one line."""
    at_ns = sample.at_ns - start_ns
    host = sample.host
    figures = host.model_dump(exclude={"cores"}) if host else {}
    return record.Observation(
        process_samples=tuple(
            record.ProcessSample(
                process=name, since_start_ns=at_ns, **each.model_dump(exclude={"gone"})
            )
            for name, each in sample.processes.items()
            # Of who is gone nothing is seen any more: what is told is what was.
            if not each.gone
        ),
        socket_samples=tuple(
            record.SocketSample(process=name, since_start_ns=at_ns, **each.model_dump())
            for name, each in (sample.sockets or {}).items()
        ),
        host_samples=(record.HostSample(since_start_ns=at_ns, **figures),)
        if host
        else (),
        core_samples=tuple(
            record.CoreSample(since_start_ns=at_ns, core=number, **each.model_dump())
            for number, each in enumerate(host.cores if host else ())
        ),
        missing_figures=tuple(
            record.MissingFigure(figure=figure, reason=reason)
            for figure, reason in sample.missing.items()
        ),
    )


def _together(observations: Iterable[record.Observation]) -> record.Observation:
    """Put samples together; a figure that is missing is named once."""
    parts = list(observations)

    def all_of(name: str) -> Iterator[Any]:
        return chain.from_iterable(getattr(part, name) for part in parts)

    joined = {
        each.name: tuple(all_of(each.name)) for each in fields(record.Observation)
    }
    first: dict[str, record.MissingFigure] = {}
    for missing in joined["missing_figures"]:
        first.setdefault(missing.figure, missing)
    return record.Observation(**joined | {"missing_figures": tuple(first.values())})
