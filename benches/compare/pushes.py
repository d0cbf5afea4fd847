"""
Cold and steady metrics of pushes with pings, compared with the closing frame.

The client closes each push after its last message. The pong before the last message of
a million, and the steady rate of many more, are compared with the closing frame of the
same push, and the steady rate also with the slope of pushes without pings, between a
million messages and many more.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median

from autostrada.contestants.catalog import find_catalog
from autostrada.engine.messages import ServeResult
from autostrada.errors import AutostradaError, EngineError
from autostrada.evidence.rate import ping_positions, push_rate
from autostrada.evidence.results import duration_ns
from autostrada.experiment.matrix import REFERENCE
from autostrada.runner.endpoints import BuiltProgram
from autostrada.store.record import Observation

from .bench import BenchSetup
from .programs import build, start_client
from .table import Bar, BenchRow, Rows, Skipped, alternate, paired_ratio, ratio_row

FIRST = 1_000_000
MORE_MAX = 20
MORE_S = 10.0
"""A push without pings has up to ``MORE_MAX`` million messages, and as many as the
client processes in this time."""

BAR = Bar(relation="1 ±", value=0.03)

STEADY = "steady_ns_per_message"

COLD, LONG = "a million with pings", "more with pings"
PLAIN, PLAIN_LONG = "a million without", "more without"

Times = Mapping[str, float]
"""Two clocks of the same push, by name: milliseconds, or nanoseconds a message."""

CLOCKS = PONGS, FRAME = "by pongs", "by the closing frame"


def push_rows(bench: BenchSetup) -> Rows:
    """Compare the metrics of each client, by default those of the quick race."""
    catalog = find_catalog()
    quick = catalog.experiment("race").experiment.quick.clients or ()
    for name in bench.contestants or [each for each in quick if each != REFERENCE]:
        try:
            contestant = catalog.contestants()[name]
            client = build(contestant, "client", bench.console.print)
            yield from client_rows(bench, name, client)
        except AutostradaError as error:
            yield Skipped(what=f"push to {name}", why=str(error))


def client_rows(bench: BenchSetup, name: str, client: BuiltProgram) -> Rows:
    """Measure one client with and without pings alternately."""
    first_ms = plain_ms(bench, client, FIRST)
    more = max(2, min(MORE_MAX, round(MORE_S * 1e3 / first_ms)))
    contenders: dict[str, Callable[[], Times]] = {
        COLD: partial(cold_ms, bench, client),
        LONG: partial(steady_ns, bench, client, more),
        PLAIN: lambda: {FRAME: plain_ms(bench, client, FIRST)},
        PLAIN_LONG: lambda: {FRAME: plain_ms(bench, client, more * FIRST)},
    }
    samples = alternate(f"push to {name}", bench, contenders)
    slopes = [
        {**pinged, FRAME: (after[FRAME] - before[FRAME]) / (more - 1)}
        for pinged, before, after in zip(
            samples[LONG], samples[PLAIN], samples[PLAIN_LONG], strict=True
        )
    ]
    for what, times in (
        ("cold, a million: pong to closing frame", samples[COLD]),
        ("steady: pongs to closing frame", samples[LONG]),
        ("steady: pongs to slope without pings", slopes),
    ):
        yield clocks_row(f"push to {name}, {what}", times)


def clocks_row(what: str, times: Sequence[Times]) -> BenchRow | Skipped:
    """Return the row of the ratio of two clocks, in the median of all rounds."""
    complete = [each for each in times if PONGS in each]
    if len(complete) < len(times) / 2:
        missing = f"{len(times) - len(complete)} of {len(times)} without a metric"
        return Skipped(what=what, why=missing)
    clocks = ", ".join(
        f"{median(each[clock] for each in complete):.2f} {clock}" for clock in CLOCKS
    )
    ratio = paired_ratio(*([each[clock] for each in complete] for clock in CLOCKS))
    details = (f"{clocks}, {len(complete)} of {len(times)} rounds",)
    return ratio_row(what, ratio, BAR, details)


def cold_ms(bench: BenchSetup, client: BuiltProgram) -> Times:
    """Return the milliseconds of a million by the last pong, if any, and the frame."""
    served, _ = pushed(bench, client, FIRST, pings_of(FIRST))
    times = {FRAME: duration_ns(served) / 1e6}
    if served.marks and served.marks[-1].messages == FIRST - 1:
        times[PONGS] = (served.marks[-1].answered_ns - served.first_sent_ns) / 1e6
    return times


def steady_ns(bench: BenchSetup, client: BuiltProgram, millions: int) -> Times:
    """
    Return the nanoseconds a message of a push's steady part, by both clocks.

    The closing frame ends the time that begins with the pong after a million messages.
    """
    served, ended_ns = pushed(bench, client, millions * FIRST, pings_of(FIRST))
    rate = push_rate(served, Observation(), client_ended_ns=ended_ns, is_lasting=True)
    steady = [each.value for each in rate.metrics if each.metric == STEADY]
    first = next((each for each in served.marks if each.messages >= FIRST - 1), None)
    if first is None:
        raise EngineError("no ping was answered after a million messages")
    left = served.messages - first.messages
    times = {FRAME: (served.closed_ns - first.answered_ns) / left}
    if steady:
        times[PONGS] = steady[0]
    return times


def pings_of(messages: int) -> Mapping[str, object]:
    """Return the workload of a push with pings in its first messages, and then on."""
    pings = {"after": ping_positions(messages, server_closes=False)}
    return {"kind": "push", "pings": pings}


def plain_ms(bench: BenchSetup, client: BuiltProgram, messages: int) -> float:
    """Return the milliseconds of a push without pings."""
    served, _ = pushed(bench, client, messages, {"kind": "push"})
    if served.messages != messages:
        raise EngineError(f"{served.messages:,} of {messages:,} messages were sent")
    return duration_ns(served) / 1e6


def pushed(
    bench: BenchSetup,
    client: BuiltProgram,
    messages: int,
    workload: Mapping[str, object],
) -> tuple[ServeResult, int]:
    """Push to a client; return the server's result and the client's last instant."""
    with bench.server({"connections": 1, "workload": dict(workload)}) as (server, url):
        with start_client(bench, client, url, messages) as process:
            *_, last = process.lines()
        served = server.serve_result()
    return served, json.loads(last)["received_ns"]
