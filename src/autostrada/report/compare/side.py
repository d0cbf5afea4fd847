"""One side of a comparison: the address of a run and its results."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.results import Outcome, Results, read_results
from autostrada.store.reader import StoreReader
from autostrada.store.record import ContestantVersion


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """The address of one side of a comparison."""

    text: str
    """The address as given on the command line."""

    store: Path
    run_id: int | None
    """Number of the run; ``None`` for the newest run."""

    contestant: str | None
    """Name of a contestant; ``None`` for all contestants."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The results of one side: a run, restricted to one contestant if it is named."""

    address: Address
    results: Results
    plan: Mapping[str, object]

    @property
    def outcomes(self) -> dict[tuple[str, str], Outcome]:
        """
        Outcomes with metrics, by contestant and workload.

        The contestant is ``""`` if the address names one.
        """
        name = self.address.contestant
        return {
            ("" if name else cell.contestant, cell.workload): outcome
            for cell, outcome in self.results.outcomes.items()
            if outcome.metrics and name in {None, cell.contestant}
        }

    @property
    def versions(self) -> dict[str, ContestantVersion]:
        """The versions of all contestants of the run, by name."""
        return {version.contestant: version for version in self.results.versions}


def parse_address(text: str, store: Path) -> Address:
    """
    Parse the address of a run, a store or a contestant.

    ``12`` is run 12 in ``store``, ``FILE`` the newest run of a file and ``FILE#12`` its
    run 12. A text names a file if it has a suffix or a slash, or if the file exists;
    any other text is a contestant.
    """
    address = Address(text=text, store=store, run_id=None, contestant=None)
    if text.isascii() and text.isdigit():
        return replace(address, run_id=int(text))
    if with_run := re.fullmatch(r"(.+)#(\d+)", text):
        return replace(address, store=Path(with_run[1]), run_id=int(with_run[2]))
    path = Path(text)
    if path.suffix or len(path.parts) > 1 or path.is_file():
        return replace(address, store=path)
    return replace(address, contestant=text)


def parse_addresses(
    before: str, after: str, store: Path, run_id: int | None
) -> tuple[Address, Address]:
    """
    Parse the addresses of both sides; ``run_id`` is the run of two contestants.

    Raises:
        UsageError: one is a run and the other a contestant, or ``run_id`` is given for
            two runs.
    """
    first, second = parse_address(before, store), parse_address(after, store)
    kinds = {first.contestant is None, second.contestant is None}
    if len(kinds) > 1:
        run, name = (before, after) if first.contestant is None else (after, before)
        raise UsageError(
            f"{run} is a run and {name} a contestant: name two runs, or two "
            f"contestants and their run (--run)"
        )
    if run_id is None:
        return first, second
    if first.contestant is None:
        raise UsageError(
            f"--run {run_id} is for two contestants, but {before} and {after} are "
            f"runs: leave it out, or write FILE#{run_id}"
        )
    return replace(first, run_id=run_id), replace(second, run_id=run_id)


def read_side(address: Address) -> Side:
    """
    Read the results at an address.

    Raises:
        UsageError: the store, the run or the contestant does not exist.
    """
    with StoreReader.open(address.store) as reader:
        results = read_results(reader, address.run_id)
    name = address.contestant
    known = {version.contestant for version in results.versions}
    known |= {cell.contestant for cell in results.outcomes}
    if name is not None and name not in known:
        raise UsageError(
            f"run {results.run_id} of {address.store} has no contestant {name!r}, only "
            f"{', '.join(sorted(known)) or 'none at all'}"
        )
    return Side(address=address, results=results, plan=json.loads(results.run.plan))
