"""
Response time at a modest rate, measured by the engine and by k6 on the same server.

The server is that of a contestant, so that it belongs to neither. Both send the same
number of messages a second on as many connections, evenly spaced, and time each from
when it was sent until its answer was read: k6 does not know when a message was due.

k6 has a virtual user with a socket for each connection. Its script reads the clock of
the test run, ``exec.instance.currentTestRunDuration``, which has nanoseconds, and adds
each response time to a metric, of which k6 computes the median.

The metric is the difference of both medians within a round, in the median of all
rounds, with its interval. It need not be 0: k6 stops the time when its JavaScript runs,
the engine when it has read. The bar is the resolution of ``Date``, the clock that
scripts for k6 usually read, in which such a difference is not visible.
"""

import json
from functools import partial

from autostrada.errors import ContestantError, EngineError
from autostrada.stats.interval import median_interval

from .bare import ProgramCommand
from .bench import BenchSetup, complete
from .k6 import VERSION, build, events, script
from .lateness import quantile_ns
from .servers import build_server, echo_server, server_in
from .table import ENGINE, Bar, BenchRow, Rows, Samples, Skipped, alternate

LANGUAGE = "go"
"""Language of the contestant that is the server; it needs no other tools than k6."""

CONNECTIONS = 50
RATE_PER_S = 1000
DATE_RESOLUTION_MS = 1
BAR = Bar(relation="0 ±", value=DATE_RESOLUTION_MS)

ANSWERED_MIN = 0.95
"""Share of the due messages that must be answered, else the rates are not the same."""

K6 = f"k6 {VERSION}"


def modest_rate_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and k6 alternately."""
    contestant = server_in(LANGUAGE)
    what = (
        f"median response time, {RATE_PER_S:,} messages/s on {CONNECTIONS} connections "
        f"to {contestant.name}, {K6} minus {ENGINE}"
    )
    missing = build(bench.console)
    if missing is not None:
        yield Skipped(what=what, why=missing)
        return
    try:
        server = build_server(contestant, bench.console.print)
    except ContestantError as error:
        yield Skipped(what=what, why=str(error))
        return
    contenders = {
        ENGINE: partial(engine_ms, bench, server),
        K6: partial(k6_ms, bench, server),
    }
    yield difference_row(what, alternate(what, bench, contenders))


def engine_ms(bench: BenchSetup, server: ProgramCommand) -> float:
    """Return the median time from sending, of ``load`` with options."""
    sizes = bench.sizes
    with echo_server(bench, server) as (_, url):
        arguments = [str(bench.engine), "load", url, "-c", str(CONNECTIONS)]
        arguments += ["-r", f"{RATE_PER_S}/s", "-d", f"{sizes.window_s}s"]
        arguments += ["--warm-up", f"{sizes.warm_up_s}s", "--json", "-"]
        *_, last = bench.run(arguments)
    exchange = complete(json.loads(last))["exchange"]
    require_rate(ENGINE, exchange["echoed"], sizes.window_s)
    return quantile_ns(exchange["service_time_ns"], 0.5) / 1e6


def k6_ms(bench: BenchSetup, server: ProgramCommand) -> float:
    """Return the median of k6's metric."""
    sizes = bench.sizes
    variables = {
        "CONNECTIONS": str(CONNECTIONS),
        "EVERY_MS": str(1000 * CONNECTIONS / RATE_PER_S),
        "WARM_UP_S": str(sizes.warm_up_s),
        "WINDOW_S": str(sizes.window_s),
    }
    with (
        echo_server(bench, server) as (_, url),
        script(bench, "rate_ws.js", {**variables, "URL": url}) as k6,
    ):
        *_, last = events(k6.lines())
    require_rate(K6, last["messages"], sizes.window_s)
    median_ms: float = last["median_ms"]
    return median_ms


def require_rate(name: str, answered: int, window_s: float) -> None:
    """
    Require that a program has kept to the rate.

    Raises:
        EngineError: fewer messages than were due were answered in the window.
    """
    due = RATE_PER_S * window_s
    if answered < ANSWERED_MIN * due:
        raise EngineError(f"{name}: {answered:,} of {due:,.0f} messages were answered")


def difference_row(what: str, medians_ms: Samples) -> BenchRow:
    """Return the row of the difference between both, in milliseconds."""
    pairs = zip(medians_ms[K6], medians_ms[ENGINE], strict=True)
    difference = median_interval([theirs - ours for theirs, ours in pairs])
    return BenchRow(
        what=what,
        metric=difference.median,
        bounds=(difference.low, difference.high),
        unit="ms",
        bar=BAR,
        details=(
            *(shown(name, medians_ms) for name in (ENGINE, K6)),
            f"the clock of k6's script has nanoseconds, Date {DATE_RESOLUTION_MS} ms",
        ),
    )


def shown(name: str, medians_ms: Samples) -> str:
    """Format the median of all rounds with its interval."""
    each = median_interval(medians_ms[name])
    return f"{name}: {each.median:.3f} ms ({each.low:.3f} to {each.high:.3f})"
