"""
Cold and steady figures of pushes with pings, compared with the closing frame.

In the same push of a million messages, the pong before the last one is compared with
the closing frame. The steady rate is compared with the slope of pushes without pings,
between a million messages and many more.
"""

from collections.abc import Callable, Mapping
from functools import partial
from statistics import median

from autostrada.engine.messages import ServeResult
from autostrada.errors import AutostradaError, EngineError
from autostrada.evidence.rate import ping_positions, push_rate
from autostrada.evidence.results import duration_ns
from autostrada.experiment.matrix import REFERENCE
from autostrada.runner.endpoints import ClientResult, Program
from autostrada.stats.ratio import median_ratio
from autostrada.store.record import Observation
from autostrada.workloads.push import UNREACHED

from .bench import Bench
from .receive import Race
from .table import Bar, Rows, Skipped, alternate, ratio_row

FIRST = 1_000_000
MORE_MAX = 20
MORE_S = 10.0
"""A push without pings has up to ``MORE_MAX`` million messages, and as many as the
client processes in this time."""

PUSH_S = 5.0
BAR = Bar(relation="1 ±", value=0.03)

STEADY = "steady_ns_per_message"
PONG, FRAME = "pong_ms", "closing_frame_ms"

PINGED, CLOSED = "with pings", "closed by the client"
PLAIN, LONG = "a million without", "more without"


def push_rows(bench: Bench) -> Rows:
    """Compare the figures of each client, by default those of the quick race."""
    race = Race(bench)
    quick = race.context.experiment.quick.clients or ()
    for name in bench.contestants or [each for each in quick if each != REFERENCE]:
        try:
            yield from client_rows(bench, name, race.build(name))
        except AutostradaError as error:
            yield Skipped(what=f"push to {name}", why=str(error))


def client_rows(bench: Bench, name: str, client: Program) -> Rows:
    """Measure one client with and without pings alternately."""
    first_ms = plain_ms(bench, client, FIRST)
    more = max(2, min(MORE_MAX, round(MORE_S * 1e3 / first_ms)))
    contenders: dict[str, Callable[[], Mapping[str, float]]] = {
        PINGED: partial(pinged, bench, client),
        CLOSED: partial(closed, bench, client),
        PLAIN: lambda: {"ms": plain_ms(bench, client, FIRST)},
        LONG: lambda: {"ms": plain_ms(bench, client, more * FIRST)},
    }
    samples = alternate(f"push to {name}", bench, contenders)
    plain, long = ([each["ms"] for each in samples[key]] for key in (PLAIN, LONG))
    slopes = [
        (after - before) / (more - 1) for before, after in zip(plain, long, strict=True)
    ]
    pongs, frames = (
        [each[key] for each in samples[CLOSED] if PONG in each] for key in (PONG, FRAME)
    )
    steady = [each[STEADY] for each in samples[PINGED] if STEADY in each]
    for what, seen, expected in (
        ("cold, a million: pong to closing frame", pongs, frames),
        ("steady: pongs to slope without pings", steady, slopes),
    ):
        if len(seen) < len(slopes):
            missing = f"{len(slopes) - len(seen)} of {len(slopes)} without a figure"
            yield Skipped(what=f"push to {name}, {what}", why=missing)
            continue
        details = [f"{median(seen):.2f} by pongs, {median(expected):.2f} without"]
        ratio = median_ratio(seen, expected)
        yield ratio_row(f"push to {name}, {what}", ratio, BAR, details)


def pinged(bench: Bench, client: Program) -> Mapping[str, float]:
    """Return the figures of a push with pings that the server ends."""
    pings = {"after": ping_positions(FIRST, server_closes=True)}
    workload = {"kind": "push", "seconds": PUSH_S, "pings": pings}
    served, ended_ns = pushed(bench, client, FIRST, UNREACHED, workload)
    rate = push_rate(served, Observation(), client_ended_ns=ended_ns, is_lasting=True)
    return {each.figure: each.value for each in rate.figures}


def closed(bench: Bench, client: Program) -> Mapping[str, float]:
    """Return the milliseconds of the last pong, if any, and of the closing frame."""
    pings = {"after": ping_positions(FIRST, server_closes=False)}
    workload = {"kind": "push", "pings": pings}
    served, _ = pushed(bench, client, FIRST, FIRST, workload)
    times = {FRAME: duration_ns(served) / 1e6}
    if served.marks and served.marks[-1].messages == FIRST - 1:
        answered_ns = served.marks[-1].answered_ns - served.first_sent_ns
        times[PONG] = answered_ns / 1e6
    return times


def plain_ms(bench: Bench, client: Program, messages: int) -> float:
    """Return the milliseconds of a push without pings that the client ends."""
    served, _ = pushed(bench, client, messages, messages, {"kind": "push"})
    if served.messages != messages:
        raise EngineError(f"{served.messages:,} of {messages:,} messages were sent")
    return duration_ns(served) / 1e6


def pushed(
    bench: Bench,
    client: Program,
    messages: int,
    wanted: int,
    workload: Mapping[str, object],
) -> tuple[ServeResult, int]:
    """Push to a client; return the server's result and the client's last instant."""
    with bench.server({"connections": 1, "workload": dict(workload)}) as (server, url):
        variables = {"URL": f"{url}/{messages}", "MESSAGES": str(wanted)}
        lines = bench.run(
            client.arguments, {**client.environment, **variables}, folder=client.folder
        )
        *_, last = server.lines()
    result = ClientResult.model_validate_json(lines[-1])
    return ServeResult.model_validate_json(last), result.received_ns
