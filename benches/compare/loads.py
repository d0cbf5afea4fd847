"""Echoes of the engine: for some seconds with a result, or without an end."""

from autostrada.engine.messages import FORMAT
from autostrada.engine.process import load_arguments

from .bench import BenchProgram, BenchSetup, Document, MessageCost

MESSAGE = "T" * 20
LIMIT_S = 900.0
"""Time after which echoes without an end have failed."""

SLEEPING: Document = {"busy_poll_us": 0}
"""What a plan adds if the kernel's CPU time of the client is its metric."""


def endless_echo(
    bench: BenchSetup,
    plan: Document,
    url: str,
    *,
    cpus: frozenset[int] | None = None,
) -> BenchProgram:
    """Start a closed loop of the engine that ends when it is killed."""
    workload = {"kind": "echo", "payload": {"text": MESSAGE}}
    return endless(bench, {"workload": workload} | plan, url, cpus=cpus)


def endless(
    bench: BenchSetup,
    plan: Document,
    url: str,
    *,
    cpus: frozenset[int] | None = None,
) -> BenchProgram:
    """Start a load of the engine that ends when it is killed."""
    phases = {"warm_up_s": 0, "window_s": LIMIT_S}
    program = BenchProgram(
        load_arguments(bench.engine),
        cpus=cpus or bench.host.client_cpus,
        limit_s=LIMIT_S,
    )
    workload = plan["workload"] | {"phases": phases}
    program.send({"format": FORMAT, "url": url} | plan | {"workload": workload})
    return program


def closed_loop(bench: BenchSetup, connections: int) -> MessageCost:
    """Measure the engine's closed loop, with content check and histograms."""
    return cost(exchange(bench, connections, {"kind": "echo"}))


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
