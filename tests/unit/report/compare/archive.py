"""Made-up runs whose metrics and changes are easy to compute."""

from dataclasses import replace

from tests.unit.definitions import define, definition
from tests.unit.report import records
from tests.unit.report.records import push, trial, version, write_run

from autostrada.experiment.matrix import Cell
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.store.record import Failure, OtherLoad

DEFINITION = definition(
    define("push", "batched", messages=1_000_000),
    define("push", "alone", messages=200_000),
    title="The small race",
    question="Who is fast?",
    repetitions=5,
    limit_s=60,
    clients=["reference", "ada-fast", "ada-fast+turbo", "bash-slow"],
)

RUN = replace(
    records.RUN,
    definition=DEFINITION,
    host='{"cpu_model": "Abacus 9", "cores": 2, "load_before": 0.1}',
)

SPREAD = (-0.02, -0.01, 0, 0.01, 0.02)
"""Relative deviations of five samples from their median."""

CRASH = Failure(kind="crashed", message="ended by signal 11", stderr_tail="")

STEADY = {
    ("batched", "reference"): 20,
    ("batched", "ada-fast"): 200,
    ("batched", "ada-fast+turbo"): 150,
    ("batched", "bash-slow"): 4000,
    ("alone", "reference"): 1000,
    ("alone", "ada-fast"): 2000,
}
"""Median nanoseconds per message, by workload and contestant."""

FEW = {
    ("batched", "reference"): 20,
    ("batched", "ada-fast"): 200,
    ("alone", "bash-slow"): 5000,
}

SILENT = [push(200, processes=())] * 5
"""Measurements of processes whose memory and CPU time are not known."""


def measured(what, spread):
    """Return outcomes around a median; those that are given are returned."""
    if isinstance(what, int | float):
        return [push(what * (1 + each)) for each in spread]
    return what


class Archive:
    """A store to which runs are added."""

    def __init__(self, path):
        self.path = path

    def add(self, cells, *, run=RUN, versions=(), spread=SPREAD, disturbance=""):
        """Write a run of cells, by median or outcomes; crashes are not disturbed."""
        known = {name: version(name) for _, name in cells}
        known |= {each.contestant: each for each in versions}
        trials = (
            trial(
                Cell(client=contestant, workload=workload),
                repetition,
                outcome,
                other_load=OtherLoad(
                    disturbance="" if outcome is CRASH else disturbance
                ),
            )
            for (workload, contestant), what in cells.items()
            for repetition, outcome in enumerate(measured(what, spread))
        )
        return write_run(self.path, run, known.values(), trials)

    def sides(self, before, after, run_id=None):
        addresses = parse_addresses(str(before), str(after), self.path, run_id)
        return tuple(map(read_side, addresses))

    def compare(self, before=1, after=2, run_id=None):
        return compare(*self.sides(before, after, run_id))


def without_folders(comparison):
    """Return a comparison whose stores are named without their folders."""
    sides = {}
    for name in ("before", "after"):
        side = getattr(comparison, name)
        address = replace(side.address, store=side.address.store.name)
        sides[name] = replace(side, address=address)
    return replace(comparison, **sides)
