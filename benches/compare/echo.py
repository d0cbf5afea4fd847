"""Echo speed compared with a bare loop, and growth of the cost with connections."""

from functools import partial

from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import median_ratio

from .bench import BINARIES, BenchSetup, Document, MessageCost
from .table import ENGINE, Bar, BenchRow, Rows, alternate, ratio_row, speed_row

CONNECTIONS = (64, 1000)
ECHO_BAR = Bar(relation="≥", value=0.95)

FEW_CONNECTIONS = 100
GROWTH_BAR = Bar(relation="≤", value=1.3)


def echo_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and the bare loop against the same server."""
    for connections in CONNECTIONS:
        contenders = {
            ENGINE: partial(closed_loop, bench, connections),
            "bare loop": partial(bare_loop, bench, connections),
        }
        what = f"echo, {connections:,} connections, one core, beside a bare loop"
        echoes = alternate(what, bench, contenders)
        samples = {name: [e.wall_ns for e in each] for name, each in echoes.items()}
        yield speed_row(what, samples, "bare loop", ECHO_BAR)


def growth_rows(bench: BenchSetup) -> Rows:
    """Measure the CPU time of an echo on few connections and on many."""
    yield _growth_row(bench, None)
    yield _growth_row(bench, bench.sizes.growth_rate_per_s)


def _growth_row(bench: BenchSetup, rate_per_s: int | None) -> BenchRow:
    """Measure a closed loop or, with a rate, an open loop."""
    few, many = FEW_CONNECTIONS, bench.sizes.growth_connections
    how = "closed loop" if rate_per_s is None else f"{rate_per_s:,} echoes/s"
    what = f"CPU of an echo, {many:,} connections beside {few:,}, {how}"
    contenders = {}
    for connections in (few, many):
        contenders[ENGINE, connections] = (
            partial(closed_loop, bench, connections)
            if rate_per_s is None
            else partial(open_loop_cost, bench, connections, rate_per_s)
        )
        contenders["bare loop", connections] = partial(
            bare_loop, bench, connections, rate_per_s
        )
    echoes = alternate(what, bench, contenders)
    samples = {key: [echo.cpu_ns for echo in each] for key, each in echoes.items()}
    details = []
    for name in (ENGINE, "bare loop"):
        costs = [median_interval(samples[name, n]).median / 1e3 for n in (few, many)]
        growth = median_ratio(samples[name, many], samples[name, few])
        details.append(
            f"{name}: {costs[0]:.2f} µs on {few:,}, {costs[1]:.2f} µs on {many:,}; "
            f"{growth.value:.2f} × ({growth.low:.2f} to {growth.high:.2f})"
        )
    ratio = median_ratio(samples[ENGINE, many], samples[ENGINE, few])
    return ratio_row(what, ratio, GROWTH_BAR, details)


def bare_loop(
    bench: BenchSetup, connections: int, rate_per_s: int | None = None
) -> MessageCost:
    """Measure the loop that reads without parsing and writes a prepared frame."""
    sizes = bench.sizes
    numbers = [connections, sizes.warm_up_s, sizes.window_s, rate_per_s or 0]
    with bench.serving() as url:
        arguments = [str(BINARIES / "bare-echo"), url.removeprefix("ws://")]
        *_, last = bench.run([*arguments, *map(str, numbers)])
    echoed, cpu_ns = map(int, last.split())
    return MessageCost(wall_ns=sizes.window_s * 1e9 / echoed, cpu_ns=cpu_ns / echoed)


def closed_loop(bench: BenchSetup, connections: int) -> MessageCost:
    """Measure the engine's closed loop, with content check and histograms."""
    return cost(exchange(bench, connections, {"kind": "echo"}))


def open_loop_cost(bench: BenchSetup, connections: int, rate_per_s: int) -> MessageCost:
    """Measure the engine's open loop."""
    return cost(open_loop(bench, connections, rate_per_s))


def open_loop(bench: BenchSetup, connections: int, rate_per_s: float) -> Document:
    """Run the engine's open loop at a constant rate; return its result."""
    schedule = {"kind": "constant", "rate_per_s": rate_per_s}
    return exchange(bench, connections, {"kind": "echo", "schedule": schedule})


def exchange(bench: BenchSetup, connections: int, workload: Document) -> Document:
    """Run a workload of the engine against ``/echo``; return its result."""
    sizes = bench.sizes
    phases = {"warm_up_s": sizes.warm_up_s, "window_s": sizes.window_s}
    with bench.serving() as url:
        plan = {
            "url": f"{url}/echo",
            "connections": connections,
            "workload": workload | {"phases": phases},
        }
        return bench.load(plan)


def cost(result: Document) -> MessageCost:
    """
    Return the cost of one echo of a result.

    The utilizations exclude the time in which the engine spins until a message is due,
    because it is not a cost of the echo.
    """
    echoed = result["exchange"]["echoed"]
    window_ns = result["window_ns"]
    busy_ns = sum(result["utilizations"]) * window_ns
    return MessageCost(wall_ns=window_ns / echoed, cpu_ns=busy_ns / echoed)
