"""Loads a server of the user with the engine, at one value after the other."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.engine.messages import Exchange, LoadReport
from autostrada.errors import EngineError, UsageError
from autostrada.find import Varied
from autostrada.find.points import ANSWERED_MIN, Ceiling, Point
from autostrada.runner.load import read_report
from autostrada.stats.buckets import Buckets

VALUE_MAX = 10_000_000
"""Highest value that is tried where no ceiling is known."""

REPEATS_MAX = 2
"""How often a load that is in doubt is repeated."""

SENT_MIN = 0.99
"""Share of the due messages from which on a load generator has sent enough."""

DELAY_MAX = 0.1
"""Share of a response time up to which the delay of sending does not matter."""

_CEILING_FROM_PER_S = 100
_OF_FAILURES = ("errors ", "connections ")
_OPTION: dict[Varied, str] = {"rate": "-r", "connections": "-c", "pipeline": "-p"}
_UNIT: dict[Varied, str] = {"rate": "/s", "connections": "", "pipeline": ""}
_DONE, _NOTHING_MEASURED, _USAGE, _FAILED = 0, 1, 2, 99
"""Exit statuses of the engine."""

_INTERRUPTED = (130, 143)
"""Those after SIGINT and SIGTERM."""

LOG = "autostrada-engine: "
"""How the lines of the engine begin that are not about a second."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loader:
    """Loads the server with the engine; ``options`` are those of ``load``."""

    engine: Path
    options: Sequence[str]
    objective: str
    vary: Varied
    step_time: str
    settle: str
    divided: Callable[[Sequence[str]], str] | None = None
    """Loads with these options from several hosts; gives the lines of their engines."""

    def measure(self, value: int) -> Point:
        """
        Load the server at a value, again if the outcome is in doubt.

        Raises:
            UsageError: the engine refuses an option.
            EngineError: nothing was measured.
            SystemExit: the load was interrupted.
        """
        point = self._point(value, 0)
        while point.is_doubtful and point.repeats < REPEATS_MAX:
            point = self._point(value, point.repeats + 1)
        return point

    def ceiling(self) -> Ceiling:
        """
        Load the server in a closed loop; return the rate that it answers.

        If it leaves messages unanswered, their connections wait for ever. The rate of
        an open loop is doubled then, until the server answers less; but not if all
        connections were lost, as those of a server that has ended.
        """
        closed = self._load(self._objective)
        backlog = closed.exchange and closed.exchange.backlog
        unanswered = backlog.unanswered if backlog and not closed.incomplete else 0
        per_s, offered_per_s = _metrics(closed)["rate"], _CEILING_FROM_PER_S
        while unanswered and offered_per_s < VALUE_MAX:
            answered_per_s = _metrics(self._load(["-r", f"{offered_per_s}/s"]))["rate"]
            per_s = max(per_s, answered_per_s)
            if answered_per_s < ANSWERED_MIN * offered_per_s:
                break
            offered_per_s *= 2
        return Ceiling(per_s=max(1, int(per_s)), unanswered=unanswered)

    def arguments(self, options: Sequence[str], value: int) -> list[str]:
        """Return the arguments of a load at a value."""
        varied = [_OPTION[self.vary], f"{value}{_UNIT[self.vary]}"]
        return [*options, *varied, *self._objective]

    @property
    def _objective(self) -> list[str]:
        return ["--objective", self.objective]

    def _point(self, value: int, repeats: int) -> Point:
        report = self._load(self.arguments([], value))
        return replace(point_of(report, self.vary, value), repeats=repeats)

    def _load(self, options: Sequence[str]) -> LoadReport:
        times = ["-d", self.step_time, "--warm-up", self.settle]
        load = [*self.options, *options, *times]
        merged = ["--merge", "-"] if self.divided else []
        ended = subprocess.run(
            [self.engine, "load", *load, *merged, "--json", "-"],
            input=self.divided(load) if self.divided else "",
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode == _NOTHING_MEASURED and ended.stdout:
            report = read_report(ended.stdout)
            if report.messages:  # The server answered, and then no more.
                return report
        raise_failure(ended.returncode, ended.stderr)
        return read_report(ended.stdout)


def point_of(report: LoadReport, vary: Varied, value: int) -> Point:
    """Return the point that is the result of a load."""
    metrics = _metrics(report)
    failures = [condition.failure for condition in report.conditions]
    has_rate = vary == "rate" and "achieved" in metrics
    point = Point(
        value=value,
        metrics=metrics,
        units={metric.name: metric.unit for metric in report.metrics},
        broken=tuple(failure for failure in failures if failure),
        is_answered=not has_rate or metrics["rate"] >= ANSWERED_MIN * value,
    )
    return replace(point, is_doubtful=_is_doubtful(report.exchange, point))


def _is_doubtful(exchange: Exchange | None, point: Point) -> bool:
    """
    Whether the outcome may be that of other programs beside the load generator.

    They delayed it, though it had CPU time to spare: it sent less than it should, or
    the objective broke by times to which the delay contributed. No delay explains
    that it broke because the server refused or ended connections.
    """
    was_late = point.metrics.get("generator-limited", 0) > 0
    if not exchange or not was_late or point.was_generator_limited:
        return False
    tolerated = (1 - SENT_MIN) * exchange.sent
    by_failures = [part for part in point.broken if part.startswith(_OF_FAILURES)]
    if exchange.unsent > tolerated and by_failures:
        return False
    if exchange.overdue > tolerated:
        return True
    delay_s = Buckets(exchange.send_delay_ns).quantile_ns(0.99) / 1e9
    is_part = delay_s > DELAY_MAX * point.metrics.get("p99", 0)
    return bool(point.broken) and point.is_answered and is_part


def raise_failure(status: int, errors: str) -> None:
    """
    Raise why a load has ended with this status, unless it has a result.

    ``errors`` is what the engine wrote to stderr.
    """
    lines = [line for line in errors.splitlines() if line.startswith(LOG)]
    cause = lines[-1].removeprefix(LOG) if lines else f"exit status {status}"
    if status == _USAGE:
        raise UsageError(cause)
    if status in _INTERRUPTED:
        raise SystemExit(status)
    if status not in (_DONE, _FAILED):
        raise EngineError(cause)


def _metrics(report: LoadReport) -> dict[str, float]:
    return {metric.name: metric.value for metric in report.metrics}
