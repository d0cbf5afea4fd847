"""One side of a comparison: which run is meant, and what was measured in it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.results import Outcome, Results, read_results
from autostrada.store.reader import StoreReader
from autostrada.store.record import ContestantVersion


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Where one side is to be found; no run: the newest, no contestant: all."""

    text: str
    store: Path
    run_id: int | None
    contestant: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A run as far as it is compared; of one contestant, or of all."""

    address: Address
    results: Results
    plan: Mapping[str, object]

    @property
    def outcomes(self) -> dict[tuple[str, str], Outcome]:
        """What was measured, by contestant, '' where one is named, and workload."""
        name = self.address.contestant
        return {
            ("" if name else cell.contestant, cell.workload): outcome
            for cell, outcome in self.results.outcomes.items()
            if outcome.figures and name in {None, cell.contestant}
        }

    @property
    def versions(self) -> dict[str, ContestantVersion]:
        """What was measured, by name."""
        return {each.contestant: each for each in self.results.versions}


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
        results = read_results(reader, address.run_id)
    name = address.contestant
    known = {each.contestant for each in results.versions}
    known |= {cell.contestant for cell in results.outcomes}
    if name is not None and name not in known:
        raise UsageError(
            f"run {results.run_id} of {address.store} has no contestant {name!r}, only "
            f"{', '.join(sorted(known)) or 'none at all'}"
        )
    return Side(address=address, results=results, plan=json.loads(results.run.plan))
