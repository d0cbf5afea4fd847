"""One side of a comparison: which run is meant, and what was measured in it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment, parse_experiment
from autostrada.experiment.matrix import Cell
from autostrada.store.reader import Row, StoreReader
from autostrada.store.record import ContestantVersion, StoredRun


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Where one side is to be found; no run: the newest, no contestant: all."""

    text: str
    store: Path
    run_id: int | None
    contestant: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Samples:
    """What the counted trials of one cell measured, by repetition."""

    cell: Cell
    messages: tuple[int, ...]
    """How many each trial sent: one number, unless the run was changed on its way."""

    ns_per_message: tuple[float, ...]
    cpu_ns_per_message: tuple[float | None, ...]
    peak_resident_bytes: tuple[float | None, ...]
    disturbed: int
    """Trials in which the machine was disturbed, also when they were repeated."""

    server_busy_share: float | None
    """Of one core, the median; None where no trial tells."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A run as far as it is compared; of one contestant, or of all."""

    address: Address
    stored: StoredRun
    experiment: Experiment
    plan: Mapping[str, object]
    host: Mapping[str, object]
    versions: Mapping[str, ContestantVersion]
    samples: tuple[Samples, ...]
    failures: tuple[Row, ...]
    """As ``failed.sql`` has them: a whole contestant's have no workload."""


def parse_address(text: str, store: Path) -> Address:
    """
    Tell a run's number, a store's file and a contestant apart by how they are written.

    ``12`` is a run in ``store``; ``FILE`` the newest run of a file, ``FILE#12`` another
    one. A file has a dot or a slash in its name, or exists; anything else is a
    contestant.
    """
    if text.isascii() and text.isdigit():
        return Address(text=text, store=store, run_id=int(text), contestant=None)
    with_run = re.fullmatch(r"(.+)#(\d+)", text)
    if with_run:
        path, run_id = Path(with_run[1]), int(with_run[2])
        return Address(text=text, store=path, run_id=run_id, contestant=None)
    path = Path(text)
    if path.suffix or len(path.parts) > 1 or path.is_file():
        return Address(text=text, store=path, run_id=None, contestant=None)
    return Address(text=text, store=store, run_id=None, contestant=text)


def parse_addresses(
    before: str, after: str, store: Path, run_id: int | None
) -> tuple[Address, Address]:
    """
    Tell what two sides are; ``run_id`` is that of two contestants.

    Raises:
        UsageError: one is a run and the other a contestant, or a run has another run.
    """
    first, second = parse_address(before, store), parse_address(after, store)
    kinds = {first.contestant is None, second.contestant is None}
    if len(kinds) > 1:
        run, name = (before, after) if first.contestant is None else (after, before)
        raise UsageError(
            f"{run} is a run and {name} a contestant: name two runs, or two "
            f"contestants, and with --run the run that both are in"
        )
    if run_id is None:
        return first, second
    if first.contestant is None:
        raise UsageError(
            f"--run {run_id} is for two contestants, {before} and {after} are runs: "
            f"leave it out, or write FILE#{run_id}"
        )
    return (
        Address(text=before, store=store, run_id=run_id, contestant=first.contestant),
        Address(text=after, store=store, run_id=run_id, contestant=second.contestant),
    )


def read_side(address: Address) -> Side:
    """
    Read what was measured at an address.

    Raises:
        UsageError: there is no such store, run or contestant.
    """
    with StoreReader.open(address.store) as reader:
        stored = reader.run(address.run_id)
        experiment = parse_experiment(
            stored.run.definition, origin=f"run {stored.run_id}"
        )
        versions = {each.contestant: each for each in reader.contestants(stored.run_id)}
        run_id = stored.run_id
        rows = _samples(_ask(reader, "samples", run_id=run_id))
        failures = _ask(reader, "failed", run_id=run_id)
    name = address.contestant
    known = {*versions, *(each.cell.contestant for each in rows)}
    if name is not None and name not in known:
        raise UsageError(
            f"run {stored.run_id} of {address.store} has no contestant {name!r}, only "
            f"{', '.join(sorted(known)) or 'none at all'}"
        )
    return Side(
        address=address,
        stored=stored,
        experiment=experiment,
        plan=json.loads(stored.run.plan),
        host=json.loads(stored.run.host),
        versions=versions,
        samples=tuple(each for each in rows if name in {None, each.cell.contestant}),
        failures=tuple(each for each in failures if name in {None, each["contestant"]}),
    )


def _ask(reader: StoreReader, question: str, **parameters: object) -> list[Row]:
    path = files("autostrada.report").joinpath("queries", f"{question}.sql")
    return reader.query(path.read_text(encoding="utf-8"), **parameters)


def _samples(rows: Sequence[Row]) -> list[Samples]:
    return [
        Samples(
            cell=Cell(
                server=row["server"], client=row["client"], workload=row["workload"]
            ),
            messages=tuple(row["messages"]),
            ns_per_message=tuple(row["ns_per_message"]),
            cpu_ns_per_message=tuple(row["cpu_ns_per_message"]),
            peak_resident_bytes=tuple(row["peak_resident_bytes"]),
            disturbed=row["disturbed"],
            server_busy_share=row["server_busy_share"],
        )
        for row in rows
    ]
