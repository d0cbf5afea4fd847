"""What bots say when they are over, and what follows from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from autostrada.errors import ClosedEarly, TimedOut
from autostrada.experiment.workload import Bots
from autostrada.runner.engine import Count, Second
from autostrada.runner.evidence.loaded import (
    BACKLOG,
    Exchange,
    LoadResult,
)
from autostrada.stats.buckets import Buckets, middle_ns
from autostrada.stats.durations import Value, mean_ns, quantile_ns
from autostrada.store.record import Bucket, Figure

Pair = tuple[Count, Count]
"""A bucket: the lowest duration in nanoseconds, and how many."""

SECOND_NS = 1_000_000_000
NO_DURATIONS = Buckets()


class Backlog(BaseModel):
    """Events that were sent, and not answered when the window ended."""

    model_config = ConfigDict(frozen=True, strict=True)

    at_window_end: Count
    answered_in_drain: Count
    unanswered: Count


class BotsExchange(Exchange):
    """Events that were due, and their answers."""

    offered_rate_per_s: float
    achieved_share: float
    sent: Count
    overdue: Count
    echoed: Count
    completed: Count
    backlog: Backlog
    response_time_ns: tuple[Pair, ...]


class BotsLoadResult(LoadResult):
    """The ``result`` of ``load`` with ``bots``: ``docs/format.md``."""

    connections: Count
    exchange: BotsExchange
    opened_ns: Count
    connect_response_time_ns: tuple[Pair, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """What came of all bots of a trial, as the engine reports it."""

    load: LoadResult
    offered: float
    """Events that were due in the window."""

    completed: int
    """Events that were answered in the window."""

    achieved_share: float
    """Of what was due: what was answered as fast as it was due."""

    response_times: Sequence[Value]
    backlog: Backlog
    sent_share: float
    """Of what was due and the server had not prevented: what our engine sent."""

    unopened: int = 0
    """Connections that were planned and never opened."""

    connect: Buckets = NO_DURATIONS
    """How long connections took to open, where that is known; by its bucket."""

    seconds: Sequence[Second] = ()
    opened_ns: int = 0
    """When the seconds began."""

    @property
    def window_s(self) -> float:
        """How long the window was."""
        return self.load.window_ns / SECOND_NS


def answers_of_engine(
    result: BotsLoadResult, seconds: Sequence[Second], workload: Bots
) -> Answers:
    """
    Return what the engine's clients say.

    Raises:
        ClosedEarly: no connection opened, or all ended before the window did.
        TimedOut: no event of the window was answered.
    """
    exchange = result.exchange
    if result.ended == "reset" or not result.connections:
        raise ClosedEarly(f"opened no connection{_example(result)}", process="server")
    broken = any(failure.kind != BACKLOG for failure in result.failures)
    has_answers = exchange.echoed and exchange.completed
    if result.ended != "complete" or (broken and not has_answers):
        raise ClosedEarly(
            f"ended all connections before the window was over{_example(result)}",
            process="server",
        )
    if not has_answers:
        raise TimedOut("answered no event of the window in time", process="server")
    return Answers(
        load=result,
        offered=exchange.offered_rate_per_s * result.window_ns / SECOND_NS,
        completed=exchange.completed,
        achieved_share=exchange.achieved_share,
        backlog=exchange.backlog,
        response_times=[
            (middle_ns(lowest), count) for lowest, count in exchange.response_time_ns
        ],
        sent_share=exchange.sent / (exchange.sent + exchange.overdue),
        unopened=workload.connections - result.connections,
        connect=Buckets(result.connect_response_time_ns),
        seconds=seconds,
        opened_ns=result.opened_ns,
    )


def all_faults(answers: Answers, faults: str) -> str:
    """Add to what broke the connections that never opened; they wait in no backlog."""
    if not answers.unopened:
        return faults
    unopened = f"{answers.unopened:,} of the connections never opened"
    return f"{unopened}; {faults}" if faults else unopened


def answer_figures(answers: Answers) -> Iterator[Figure]:
    """Yield the figures of docs/experiments.md that the bots themselves know."""
    yield _of("offered_per_s", answers.offered / answers.window_s)
    yield _of("achieved_per_s", answers.completed / answers.window_s)
    yield _of("achieved_share", answers.achieved_share)
    yield _of("backlog_at_window_end_messages", answers.backlog.at_window_end)
    yield _of("backlog_answered_in_drain_messages", answers.backlog.answered_in_drain)
    yield _of("backlog_unanswered_messages", answers.backlog.unanswered)
    yield _of("sent_share", answers.sent_share)
    yield _of("response_ms_mean", mean_ns(answers.response_times) / 1e6)
    for quantile, name in ((0.5, "p50"), (0.99, "p99"), (1.0, "max")):
        reached_ns = quantile_ns(answers.response_times, quantile)
        yield _of(f"response_ms_{name}", reached_ns / 1e6)
    if answers.connect.count:
        yield _of("connect_ms_p50", answers.connect.quantile_ns(0.5) / 1e6)
        yield _of("connect_ms_p99", answers.connect.quantile_ns(0.99) / 1e6)
        yield _of("connect_s", answers.connect.longest_ns / 1e9)
    yield from _wire(answers)


def response_buckets(answers: Answers) -> tuple[Bucket, ...]:
    """Return the response times as they are stored."""
    return tuple(
        Bucket(process="client", figure="response_time_ns", value_ns=value, count=count)
        for value, count in answers.response_times
    )


def _wire(answers: Answers) -> Iterator[Figure]:
    """Yield what went over the wire in the seconds that lie in the window."""
    window_ns = answers.load.window_ns
    within = [
        each
        for each in answers.seconds
        if 0
        <= answers.opened_ns + each.second * SECOND_NS - answers.load.window_start_ns
        <= window_ns - SECOND_NS
    ]
    moved = sum(each.read_bytes + each.written_bytes for each in within)
    events = sum(each.messages for each in within)
    if within:
        yield _of("wire_bytes_per_s", moved / len(within))
    if events:
        yield _of("wire_bytes_per_event", moved / events)


def _example(result: LoadResult) -> str:
    """Return what went wrong first, to be added to a sentence."""
    return "".join(f": {each.example}" for each in result.failures[:1])


def _of(figure: str, value: float) -> Figure:
    return Figure(process="client", figure=figure, value=float(value))
