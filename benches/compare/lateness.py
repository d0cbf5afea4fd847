"""Send delay of an open loop at half the capacity of the closed loop."""

from functools import partial
from statistics import median

from autostrada.stats.buckets import Buckets
from autostrada.stats.interval import median_interval

from .bench import BINARIES, BenchSetup, Document
from .table import ENGINE, Bar, Rows, alternate, paired_ratio, ratio_row

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
        late = median_interval([each / 1e3 for each in found_ns])
        details.append(
            f"{name}: {late.median:.0f} µs ({late.low:.0f} to {late.high:.0f})"
        )
    engine, timer, bare = samples.values()
    beside = paired_ratio(engine, bare)
    details.append(
        f"beside the bare open loop, which compares and records nothing: "
        f"{beside.value:.2f} ({beside.low:.2f} to {beside.high:.2f}) ×"
    )
    ratio = paired_ratio(engine, timer)
    yield ratio_row(f"{what}, beside a bare timer loop", ratio, LATENESS_BAR, details)


def closed_loop_per_s(bench: BenchSetup) -> float:
    """Return the echoes per second of the engine's closed loop."""
    result = exchange(bench, {})
    return float(result["exchange"]["echoed"] / result["window_ns"] * 1e9)


def lateness_ns(bench: BenchSetup, rate_per_s: float) -> int:
    """Return how late the engine sends in an open loop."""
    schedule = {"kind": "constant", "rate_per_s": rate_per_s}
    result = exchange(bench, {"schedule": schedule})
    return Buckets(result["exchange"]["send_delay_ns"]).quantile_ns(QUANTILE)


def exchange(bench: BenchSetup, further: Document) -> Document:
    """Run echoes of the engine against its server; return the result."""
    sizes = bench.sizes
    phases = {"warm_up_s": sizes.warm_up_s, "window_s": sizes.window_s}
    workload = {"kind": "echo", "phases": phases} | further
    with bench.serving(path="/echo") as url:
        return bench.load(
            {"url": url, "connections": CONNECTIONS, "workload": workload}
        )


def bare_lateness_ns(bench: BenchSetup, rate_per_s: float) -> int:
    """Return how late a program sends that only sends and receives."""
    with bench.serving() as url:
        address = url.partition("://")[2]
        return program_lateness_ns(
            bench, "bare-echo", address, CONNECTIONS, "--rate", rate_per_s
        )


def program_lateness_ns(bench: BenchSetup, program: str, *options: object) -> int:
    """Return how late a program is; its last arguments are a rate and a duration."""
    last = bench.run(BINARIES / program, *options, bench.sizes.window_s)
    return int(last)
