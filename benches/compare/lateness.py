"""Send delay of an open loop at half the capacity of the closed loop."""

from functools import partial
from statistics import median

from autostrada.stats.buckets import Buckets

from .bench import BINARIES, BenchSetup
from .table import ENGINE, Bar, Rows, alternate, paired_ratio, ratio_row, spread, times

ROUNDS = 26
CLOSED_LOOPS = 5
CONNECTIONS = 64
QUANTILE = 0.999
LATENESS_BAR = Bar(relation="≤", value=1.5)


def lateness_rows(bench: BenchSetup) -> Rows:
    """Measure lateness at half of capacity, of the engine and of a bare timer loop."""
    what = f"lateness p99.9, open loop at half of capacity, {CONNECTIONS} connections"
    rates_per_s = [closed_loop_per_s(bench) for _ in range(CLOSED_LOOPS)]
    rate_per_s = round(median(rates_per_s) / 2)
    contenders = {
        ENGINE: partial(lateness_ns, bench, rate_per_s),
        "bare timer loop": partial(
            program_lateness_ns, bench, "bare-timer", rate_per_s
        ),
        "bare open loop": partial(bare_lateness_ns, bench, rate_per_s),
    }
    samples = alternate(what, bench, contenders, rounds=ROUNDS)
    details = [f"at {rate_per_s:,} messages/s"]
    for name, found_ns in samples.items():
        details.append(f"{name}: {spread([each / 1e3 for each in found_ns])} µs")
    engine, timer, bare = samples.values()
    details.append(
        f"beside the bare open loop, which compares and records nothing: "
        f"{times(paired_ratio(engine, bare))}"
    )
    ratio = paired_ratio(engine, timer)
    yield ratio_row(f"{what}, beside a bare timer loop", ratio, LATENESS_BAR, details)


def closed_loop_per_s(bench: BenchSetup) -> float:
    """Return the echoes per second of the engine's closed loop."""
    with bench.serving(path="/echo") as url:
        result = bench.echo(url, CONNECTIONS)
    return float(result["exchange"]["echoed"] / result["window_ns"] * 1e9)


def lateness_ns(bench: BenchSetup, rate_per_s: float) -> int:
    """Return how late the engine sends in an open loop."""
    schedule = {"kind": "constant", "rate_per_s": rate_per_s}
    with bench.serving(path="/echo") as url:
        result = bench.echo(url, CONNECTIONS, {"schedule": schedule})
    return Buckets(result["exchange"]["send_delay_ns"]).quantile_ns(QUANTILE)


def bare_lateness_ns(bench: BenchSetup, rate_per_s: float) -> int:
    """Return how late a program sends that only sends and receives."""
    with bench.serving() as url:
        address = url.partition("://")[2]
        return program_lateness_ns(
            bench, "bare-echo", address, CONNECTIONS, "--rate", rate_per_s
        )


def program_lateness_ns(bench: BenchSetup, program: str, *options: object) -> int:
    """Return how late a program is; its last arguments are a rate and a duration."""
    last = bench.run(BINARIES / program, *options, bench.window_s)
    return int(last)
