"""Receiving, compared with a loop that only calls ``read()`` and with contestants."""

from collections.abc import Callable
from functools import partial

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.errors import ContestantError
from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.trial import run_trial
from autostrada.store.record import Measurement
from autostrada.workloads.push import Push

from .bench import BINARIES, BenchSetup
from .table import AHEAD, ENGINE, Bar, Rows, Skipped, alternate, speed, speed_row

Measure = Callable[[], float | None]
"""Returns nanoseconds per message, or ``None`` if the measurement failed."""

PAYLOAD = "hello world"
FRAME_BYTES = 2 + len(PAYLOAD)
DECODER = "engine, without a payload to expect"
READ_BAR = Bar(relation="≥", value=0.8)


def receive_rows(bench: BenchSetup) -> Rows:
    """Measure the loop, the engine, and the engine without a known payload."""
    contenders = {
        ENGINE: partial(engine_ns, bench),
        "read()": partial(raw_read_ns, bench),
        DECODER: partial(engine_ns, bench, has_payload=False),
    }
    what = f"receive, {len(PAYLOAD)}-byte messages, one core, beside read()"
    samples = alternate(what, bench, contenders)
    decoder = speed(DECODER, samples[DECODER])
    yield speed_row(what, samples, "read()", READ_BAR, [decoder])


def contestant_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and all contestants of the race with both workloads."""
    race = Race(bench)
    clients: dict[str, BuiltProgram] = {}
    for name in race.context.experiment.contestants:
        try:
            clients[name] = race.build(name)
        except ContestantError as error:
            yield Skipped(what=f"receive, beside {name}", why=str(error))
    contenders: dict[str, Measure] = {
        name: partial(race.ns, name, client) for name, client in clients.items()
    }
    contenders[ENGINE] = partial(engine_ns, bench)
    samples = alternate("receive, beside every contestant", bench, contenders)
    for name in clients:
        what = f"receive, beside {name}"
        whole = {
            each: [sample for sample in samples[each] if sample is not None]
            for each in (ENGINE, name)
        }
        if len(whole[name]) < bench.sizes.rounds:
            yield Skipped(what=what, why="failed: run the race for the reason")
        else:
            yield speed_row(what, whole, name, AHEAD)


def raw_read_ns(bench: BenchSetup) -> float:
    """Measure the loop that only reads."""
    messages = bench.sizes.receive_messages
    with bench.serving() as url:
        address = url.removeprefix("ws://")
        program = str(BINARIES / "raw-read")
        *_, last = bench.run([program, address, str(messages), str(FRAME_BYTES)])
    return float(last) / messages


def engine_ns(bench: BenchSetup, *, has_payload: bool = True) -> float:
    """Measure the engine's client; without the payload it decodes every frame."""
    messages = bench.sizes.receive_messages
    workload: dict[str, object] = {"kind": "receive", "messages": messages}
    if has_payload:
        workload["payload"] = {"text": PAYLOAD}
    with bench.serving() as url:
        result = bench.load({"url": f"{url}/{messages}", "workload": workload})
    duration_ns: int = result["received_ns"] - result["opened_ns"]
    return duration_ns / messages


class Race:
    """The race's first workload with another number of messages."""

    def __init__(self, bench: BenchSetup) -> None:
        """Read the experiment."""
        self._bench = bench
        self._catalog = find_catalog()
        experiment = self._catalog.experiment("race").experiment
        self.context = RunContext(
            experiment=experiment, engine=bench.engine, host=bench.host
        )
        workload = experiment.workload[0]
        assert isinstance(workload, Push)
        self._workload = workload.model_copy(
            update={"messages": bench.sizes.contestant_messages}
        )
        assert self._workload.payload_text == PAYLOAD

    def build(self, name: str) -> BuiltProgram:
        """
        Build a contestant.

        Raises:
            ContestantError: it cannot be built here; the message names the remedy.
        """
        contestant = self._catalog.contestants()[name]
        builder = Builder(
            kits=self._catalog.root / "kits", builds=self._catalog.root / ".build"
        )
        built = builder.build(contestant, announce=self._bench.console.print)
        return BuiltProgram(
            arguments=contestant.command("client"),
            folder=built.folder,
            environment=contestant.environment("client"),
        )

    def ns(self, name: str, client: BuiltProgram) -> float | None:
        """Return a contestant's nanoseconds per message, or ``None`` if it fails."""
        attempt = Attempt(
            cell=Cell(client=name, workload=self._workload.name),
            repetition=0,
            is_warm_up=False,
        )
        endpoints = self.context.endpoints(client=client)
        outcome = run_trial(self.context, attempt, self._workload, endpoints).outcome
        if not isinstance(outcome, Measurement):
            return None
        return outcome.duration_ns / outcome.messages
