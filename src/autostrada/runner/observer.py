"""
Observes the processes of a trial with ``autostrada-engine observe``.

The observer writes to a file in memory that is read after the trial, so neither side
waits for the other. Metrics that cannot be read are listed with the reason and never
end a trial.
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
from autostrada.engine.process import engine_command, observe_arguments, send_document
from autostrada.experiment.document import first_fault
from autostrada.machine.process import Process, raise_priority
from autostrada.store import record

EVERY_MS = 100.0
"""The sampling interval of a trial of long or unknown duration."""

EVERY_MS_MIN = 3.0
"""The shortest sampling interval: a sample takes 0.1 to 0.2 ms of a core, so more
frequent samples would distort the metrics."""

SAMPLES_MIN = 5
"""Smallest number of samples in a trial of the expected duration."""

SAMPLE_LIMIT_S = 0.5
"""How long to wait for the first sample, and for the one after the window."""

END_LIMIT_S = 2.0
_POLL_EVERY_S = 0.005
_LINE_BYTES_MAX = 256 * 1024
"""Longest line of a sample, enough for hundreds of cores. Longer lines are not found
when the latest sample is looked up."""


class Observer:
    """The observer process of a trial."""

    def __init__(
        self, process: Process, file: int, every_ms: float, loop_cores: frozenset[int]
    ) -> None:
        self._process = process
        self._file = file
        self._every_ms = every_ms
        self._loop_cores = loop_cores
        self._lost = "the client was not started"
        self.start_ns = time.monotonic_ns()
        """Monotonic time that samples are relative to: the start of the window, once
        it is known."""

    @property
    def pid(self) -> int:
        """Process ID of the observer."""
        return self._process.pid

    @property
    def input_file(self) -> str:
        """Path of its input, to which engines append the addresses of connections."""
        return f"/proc/{self.pid}/fd/0"

    def begin(self, processes: Mapping[str, int]) -> None:
        """Start to observe processes, given by name; return after the first sample."""
        self._lost = ""
        plan = observe_plan(
            processes=processes, every_ms=self._every_ms, loop_cores=self._loop_cores
        )
        send_document(self._process, plan)
        self.await_sample(0)
        self.start_ns = time.monotonic_ns()

    def await_sample(self, since_ns: int) -> None:
        """Wait up to ``SAMPLE_LIMIT_S`` for a sample taken at ``since_ns`` or later."""
        deadline_s = time.monotonic() + SAMPLE_LIMIT_S
        while time.monotonic() < deadline_s and self._process.status() is None:
            if self._latest_ns() >= since_ns:
                return
            time.sleep(_POLL_EVERY_S)

    def pause(self) -> None:
        """Take no samples until ``resume`` is called."""
        self._process.stop()

    def resume(self) -> None:
        """Take samples again."""
        self._process.resume()

    def end(self) -> None:
        """Stop the observer; kill it if it does not end within ``END_LIMIT_S``."""
        self._process.resume()
        self._process.close_input()
        try:
            status = self._process.wait(time.monotonic() + END_LIMIT_S)
        except TimeoutError:
            self._process.end()
            self._lost = f"the observer did not end within {END_LIMIT_S:.0f} s"
            return
        if status != 0 and not self._lost:
            why = self._process.stderr_tail.partition("\n")[0] or f"status {status}"
            self._lost = f"the observer failed: {why}"

    def observation(self) -> record.Observation:
        """Return all samples; call it after the observer has ended."""
        text = os.pread(self._file, os.fstat(self._file).st_size, 0)
        observation = read_samples(
            text.decode(errors="replace").splitlines(), self.start_ns
        )
        if not self._lost:
            return observation
        lost = record.MissingMetric(metric="observation", reason=self._lost)
        return _merged([observation, record.Observation(missing_metrics=(lost,))])

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
    """Return the sampling interval for a trial of the expected duration, if known."""
    if expected_ns is None:
        return EVERY_MS
    return min(EVERY_MS, max(EVERY_MS_MIN, expected_ns / SAMPLES_MIN / 1e6))


@contextmanager
def observing(
    engine: Path,
    *,
    cpus: frozenset[int],
    every_ms: float = EVERY_MS,
    loop_cores: frozenset[int] = frozenset(),
) -> Iterator[Observer]:
    """
    Run an observer, which takes no samples before ``Observer.begin``.

    It times a loop on ``loop_cores``.

    It gets the same scheduling priority as the measured processes. With a lower one, it
    would be late by seconds if these use all of its core.
    """
    file = os.memfd_create("samples")
    try:
        command = engine_command(observe_arguments(engine), cpus, output=file)
        with Process(command) as process:
            raise_priority(process.pid)
            yield Observer(process, file, every_ms, loop_cores)
    finally:
        os.close(file)


def read_samples(lines: Iterable[str], start_ns: int) -> record.Observation:
    """Parse an observer's lines; times become relative to ``start_ns``."""
    return _merged(_read_sample(line, start_ns) for line in lines)


def _read_sample(line: str, start_ns: int) -> record.Observation:
    try:
        return _samples(Sample.model_validate_json(line), start_ns)
    except ValidationError as error:
        fault = first_fault(error)
    reason = f"the observer printed an invalid line {line[:80]!r}: {fault}"
    unknown = record.MissingMetric(metric="sample", reason=reason)
    return record.Observation(missing_metrics=(unknown,))


def _samples(sample: Sample, start_ns: int) -> record.Observation:
    """Convert one line to samples."""
    at_ns = sample.at_ns - start_ns
    host = sample.host
    metrics = host.model_dump(exclude={"cores"}) if host else {}
    loops = {each.core: each.model_dump() for each in sample.loops or ()}
    return record.Observation(
        process_samples=tuple(
            record.ProcessSample(
                process=name, since_start_ns=at_ns, **each.model_dump(exclude={"gone"})
            )
            for name, each in sample.processes.items()
            # The line repeats the last values of a process that has ended.
            if not each.gone
        ),
        socket_samples=tuple(
            record.SocketSample(process=name, since_start_ns=at_ns, **each.model_dump())
            for name, each in (sample.sockets or {}).items()
        ),
        host_samples=(record.HostSample(since_start_ns=at_ns, **metrics),)
        if host
        else (),
        core_samples=tuple(
            record.CoreSample(
                since_start_ns=at_ns,
                **{"core": number, **each.model_dump(), **loops.get(number, {})},
            )
            for number, each in enumerate(host.cores if host else ())
        ),
        missing_metrics=tuple(
            record.MissingMetric(metric=metric, reason=reason)
            for metric, reason in sample.missing.items()
        ),
    )


def _merged(observations: Iterable[record.Observation]) -> record.Observation:
    """Merge observations; each missing metric is listed once."""
    parts = list(observations)

    def all_of(name: str) -> Iterator[Any]:
        return chain.from_iterable(getattr(part, name) for part in parts)

    joined = {
        field.name: tuple(all_of(field.name)) for field in fields(record.Observation)
    }
    first: dict[str, record.MissingMetric] = {}
    for missing in joined["missing_metrics"]:
        first.setdefault(missing.metric, missing)
    return record.Observation(**joined | {"missing_metrics": tuple(first.values())})
