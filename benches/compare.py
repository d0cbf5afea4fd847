"""
What the engine's own client takes, beside the least and the fastest there is.

*Receive*: each round measures, in turn and on the same two cores, a loop that only
calls ``read()``, the reference client, the same client without its shortcut for frames
that repeat, and the fastest contestant. *Echo*: each round measures a bare ``epoll``
loop that does not look at what it reads, and the engine, against the same server.

Ratios of the medians are printed with intervals, and how idle the server was for each
contestant.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from autostrada.errors import ContestantError, EngineError
from autostrada.plan.catalog import find_catalog
from autostrada.plan.experiment import Experiment
from autostrada.plan.matrix import Attempt, Cell
from autostrada.runner.build import Workshop
from autostrada.runner.engine import FORMAT, find_engine, load_plan, serve_plan, serving
from autostrada.runner.host import this_host
from autostrada.runner.process import Command, Process
from autostrada.runner.trial import Client, Course, run_trial
from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import median_ratio
from autostrada.store.record import Measurement

LIMIT_S = 60.0
RAW_READ = Path("target/release/raw-read")
BARE_ECHO = Path("target/release/bare-echo")
ECHO_WARM_UP_S = 0.5
HEADER_BYTES = 2

Samples = dict[str, list[float]]
"""Nanoseconds a message, by what was measured."""


class Bench:
    """The race's first workload, in sizes of our own."""

    def __init__(self, messages: int, contestant_messages: int) -> None:
        _, experiment, _ = find_catalog().experiment("race")
        self.course = Course(
            experiment=experiment, engine=find_engine(), host=this_host()
        )
        first = experiment.workload[0]
        self.workload = first.model_copy(update={"messages": messages})
        self.contestant_workload = first.model_copy(
            update={"messages": contestant_messages}
        )

    @property
    def experiment(self) -> Experiment:
        """The race."""
        return self.course.experiment

    def raw_read_ns(self) -> float:
        """Measure the loop that only reads."""
        frame_bytes = HEADER_BYTES + len(self.workload.payload_text)

        def command(url: str) -> list[str]:
            address = url.removeprefix("ws://")
            return [
                str(RAW_READ),
                address,
                str(self.workload.messages),
                str(frame_bytes),
            ]

        return float(self._serve_to(command, None))

    def engine_ns(self, *, knows_payload: bool) -> float:
        """Measure the engine's client; without the payload, only its decoder counts."""

        def plan(url: str) -> str:
            document = load_plan(
                self.experiment, self.workload, f"{url}/{self.workload.messages}"
            )
            workload = document["workload"]
            assert isinstance(workload, dict)
            if not knows_payload:
                del workload["payload"]
            return json.dumps(document)

        line = json.loads(
            self._serve_to(lambda _: [str(self.course.engine), "load"], plan)
        )
        if line["ended"] != "complete" or line["wrong"]:
            raise EngineError(f"the reference client says {line}")
        return float(line["received_ns"] - line["opened_ns"])

    def bare_echo_ns(self, connections: int, window_s: float) -> float:
        """Measure the loop that reads without a look and writes a prepared frame."""
        words = [str(connections), str(ECHO_WARM_UP_S), str(window_s)]
        echoed = self._serve_to(
            lambda url: [str(BARE_ECHO), url.removeprefix("ws://"), *words], None
        )
        return window_s * 1e9 / int(echoed)

    def echo_ns(self, connections: int, window_s: float) -> float:
        """Measure the engine's closed loop, with content check and histograms."""

        def plan(url: str) -> str:
            phases = {"warm_up_s": ECHO_WARM_UP_S, "window_s": window_s}
            return json.dumps(
                {
                    "format": FORMAT,
                    "url": f"{url}/echo",
                    "connections": connections,
                    "workload": {"kind": "echo", "phases": phases},
                }
            )

        line = json.loads(
            self._serve_to(lambda _: [str(self.course.engine), "load"], plan)
        )
        if line["failures"]:
            raise EngineError(f"the echoes failed: {line['failures']}")
        return window_s * 1e9 / int(line["echoed"])

    def contestant(self, name: str, client: Client) -> Measurement | None:
        """Measure a contestant; ``None`` where it fails: the race says why."""
        attempt = Attempt(
            cell=Cell(contestant=name, workload=self.workload.name),
            repetition=0,
            is_warm_up=False,
        )
        trial = run_trial(self.course, attempt, self.contestant_workload, client)
        return trial.outcome if isinstance(trial.outcome, Measurement) else None

    def clients(self, console: Console) -> dict[str, Client]:
        """Build every contestant of the race that can be built here."""
        catalog = find_catalog()
        contestants = catalog.contestants()
        workshop = Workshop(kits=catalog.root / "kits", builds=catalog.root / ".build")
        clients = {}
        for name in self.experiment.contestants:
            contestant = contestants[name]
            try:
                built = workshop.build(contestant, announce=console.print)
            except ContestantError as error:
                console.print(f"{name}: {error}", markup=False)
                continue
            clients[name] = Client(
                words=contestant.manifest.client.command,
                folder=built.folder,
                environment=contestant.client_environment(),
            )
        return clients

    def _serve_to(
        self, command: Callable[[str], list[str]], stdin: Callable[[str], str] | None
    ) -> str:
        """Run one client against a server of its own; return its last line."""
        plan = serve_plan(self.experiment, self.workload)
        plan["hold_until_observing"] = False
        del plan["connections"]
        host = self.course.host
        deadline_s = time.monotonic() + LIMIT_S
        with serving(self.course.engine, plan, cpus=host.server_cpus) as server:
            words = command(server.url)
            with Process(
                Command(words=words, folder=Path.cwd(), cpus=host.client_cpus)
            ) as process:
                if stdin is not None:
                    process.send(stdin(server.url))
                last = ""
                while (line := process.read_line(deadline_s)) is not None:
                    last = line
                if process.wait(deadline_s) != 0:
                    raise EngineError(f"{words[0]}: {process.stderr_tail}")
                return last


def ns_a_message(measurement: Measurement) -> float:
    """Return how long one message took, on average."""
    return measurement.duration_ns / measurement.messages


def find_fastest(bench: Bench, console: Console) -> tuple[str, Client]:
    """Race every contestant once, and print how idle the server was."""
    clients = bench.clients(console)
    table = Table("contestant", "messages/s", "server idle", box=None, pad_edge=False)
    speeds = {}
    for name, client in clients.items():
        measurement = bench.contestant(name, client)
        if measurement is None:
            table.add_row(name, "failed", "")
            continue
        speeds[name] = ns_a_message(measurement)
        idle = 1 - measurement.server_busy_share
        table.add_row(name, f"{1e9 / speeds[name]:,.0f}", f"{idle:.1%}")
    console.print(table)
    fastest = min(speeds, key=lambda name: speeds[name])
    return fastest, clients[fastest]


def measure(bench: Bench, fastest: str, client: Client, rounds: int) -> Samples:
    """Measure all four in each round, one after another."""
    messages = bench.workload.messages
    samples: Samples = {"raw read()": [], "reference": [], "decoder": [], fastest: []}
    for _ in track(range(rounds), description="measuring", transient=True):
        samples["raw read()"].append(bench.raw_read_ns() / messages)
        samples["reference"].append(bench.engine_ns(knows_payload=True) / messages)
        samples["decoder"].append(bench.engine_ns(knows_payload=False) / messages)
        measurement = bench.contestant(fastest, client)
        if measurement is None:
            raise EngineError(f"{fastest} failed; run the race to see why")
        samples[fastest].append(ns_a_message(measurement))
    return samples


RECEIVE_BARS = {"raw read()": 0.8, "fastest": 10.0}
"""What the reference client must reach, as multiples."""

ECHO_BAR = 0.95
"""What the engine's closed loop must reach, as a multiple of the bare loop."""

ECHO_CONNECTIONS = (64, 1000)


def print_ratios(samples: Samples, fastest: str, console: Console) -> None:
    """Print each speed, its ratios to the least and to the fastest, and the bars."""
    others = {"raw read()": "raw read()", "fastest": fastest}
    table = Table(
        "client",
        "million messages/s",
        *(f"× {label}" for label in others),
        box=None,
        pad_edge=False,
    )
    for name, each in samples.items():
        speed = median_interval([1e3 / sample for sample in each])
        ratios = [median_ratio(samples[other], each) for other in others.values()]
        table.add_row(
            name,
            f"{speed.median:.1f} ({speed.low:.1f} to {speed.high:.1f})",
            *(f"{r.value:.2f} ({r.low:.2f} to {r.high:.2f})" for r in ratios),
        )
    console.print(table)
    for label, bar in RECEIVE_BARS.items():
        reached = median_ratio(samples[others[label]], samples["reference"]).value
        verdict = "reached" if reached >= bar else "not reached"
        console.print(f"reference ≥ {bar:g} × {label}: {reached:.2f}, {verdict}")


def print_echo(bench: Bench, rounds: int, window_s: float, console: Console) -> None:
    """Measure and print the closed loop beside the bare one."""
    for connections in ECHO_CONNECTIONS:
        bare, engine = [], []
        what = f"echo, {connections} connections"
        for _ in track(range(rounds), description=what, transient=True):
            bare.append(bench.bare_echo_ns(connections, window_s))
            engine.append(bench.echo_ns(connections, window_s))
        ratio = median_ratio(bare, engine)
        rates = [
            f"{1e9 / median_interval(each).median:,.0f}" for each in (bare, engine)
        ]
        verdict = "reached" if ratio.value >= ECHO_BAR else "not reached"
        console.print(
            f"{what}: bare {rates[0]}, engine {rates[1]} messages/s; engine ≥ "
            f"{ECHO_BAR:g} × bare: {ratio.value:.2f} ({ratio.low:.2f} to "
            f"{ratio.high:.2f}), {verdict}",
            highlight=False,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--messages", type=int, default=100_000_000)
    parser.add_argument("--echo-window-s", type=float, default=2.0)
    parser.add_argument("--contestant-messages", type=int, default=1_000_000)
    arguments = parser.parse_args()
    console = Console()
    bench = Bench(arguments.messages, arguments.contestant_messages)
    fastest, client = find_fastest(bench, console)
    console.print()
    print_ratios(measure(bench, fastest, client, arguments.rounds), fastest, console)
    console.print()
    print_echo(bench, arguments.rounds, arguments.echo_window_s, console)


if __name__ == "__main__":
    main()
