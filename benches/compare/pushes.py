"""
The cold start of pushes with pings, compared with the closing frame.

The client closes each push after its last message. The pong before the last message of
a million is compared with the closing frame of the same push.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import AutostradaError
from autostrada.evidence.rate import ping_positions
from autostrada.evidence.results import duration_ns
from autostrada.experiment.matrix import REFERENCE
from autostrada.runner.endpoints import BuiltProgram

from .bench import BenchSetup
from .programs import build, start_client
from .table import Bar, BenchRow, Rows, Skipped, alternate, paired_ratio, ratio_row

MESSAGES = 1_000_000
BAR = Bar(relation="1 ±", value=0.03)

Times = Mapping[str, float]
"""Two clocks of the same push, by name, in milliseconds."""

CLOCKS = PONGS, FRAME = "by pongs", "by the closing frame"


def push_rows(bench: BenchSetup) -> Rows:
    """Compare the metrics of each client, by default those of the quick race."""
    catalog = find_catalog()
    quick = catalog.experiment("race").experiment.quick.clients or ()
    for name in bench.contestants or [each for each in quick if each != REFERENCE]:
        what = f"push to {name}"
        try:
            contestant = catalog.contestants()[name]
            client = build(contestant, "client", bench.console.print)
            samples = alternate(what, bench, {name: partial(cold_ms, bench, client)})
            yield clocks_row(
                f"{what}, cold, a million: pong to closing frame", samples[name]
            )
        except AutostradaError as error:
            yield Skipped(what=what, why=str(error))


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
    pings = {"after": ping_positions(MESSAGES, server_closes=False)}
    workload = {"kind": "push", "pings": pings}
    with bench.server({"connections": 1, "workload": workload}) as (server, url):
        with start_client(bench, client, url, MESSAGES) as process:
            process.lines()
        served = server.serve_result()
    times = {FRAME: duration_ns(served) / 1e6}
    if served.marks and served.marks[-1].messages == MESSAGES - 1:
        times[PONGS] = (served.marks[-1].answered_ns - served.first_sent_ns) / 1e6
    return times
