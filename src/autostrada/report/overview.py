"""Overview of all cells: metrics by group, problems, and reproduction commands."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.circumstances import disturbance_note
from autostrada.report.results import Outcome, Results
from autostrada.stats.metrics import METRICS, Group, Metric
from autostrada.store.record import Run

DISTURBED = "disturbed"
"""The kind of problem of a cell with trials that other load disturbed."""

FLAGS = ("--quick",)
"""Options without a value."""

CHANGING = (*FLAGS, "--set", "--contestants", "--place", "--hosts")
"""Options that change how a cell of a run is measured, or where."""

PLANNED = (*FLAGS, "--contestant", "--workload", "--set", "--contestants")
"""Options that select the cells of a run; ``autostrada plan`` has them as well."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupTable:
    """The metrics of one group, and the outcomes that have at least one of them."""

    group: Group
    metrics: tuple[Metric, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A problem of a contestant or of a cell."""

    subject: str
    """Name of the contestant or of the cell."""

    kind: str
    description: str
    stderr_tail: str = ""
    """Last lines of the contestant's standard error."""


def by_ends(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Group outcomes by server and client, in order of first appearance."""
    found = defaultdict(list)
    for outcome in outcomes:
        found[ends(outcome.cell)].append(outcome)
    return found


def group_tables(results: Results) -> list[GroupTable]:
    """Return a table for each group of which at least one cell has a metric."""
    tables = []
    for group in Group:
        outcomes = tuple(
            outcome
            for outcome in results.outcomes.values()
            if any(METRICS[name].group is group for name in outcome.metrics)
        )
        known = {name for outcome in outcomes for name in outcome.metrics}
        metrics = tuple(
            metric
            for metric in METRICS.values()
            if metric.group is group and metric.name in known
        )
        if outcomes:
            tables.append(GroupTable(group=group, metrics=metrics, outcomes=outcomes))
    return tables


def ends(cell: Cell) -> str:
    """Name server and client of a cell: ``engine → name``."""
    names = [
        "engine" if end == REFERENCE else end for end in (cell.server, cell.client)
    ]
    return " → ".join(names)


def problems(results: Results) -> list[Problem]:
    """
    Return what failed, broke, was disturbed or is missing.

    Equal failures of a cell are listed once, with their number.
    """
    found = [
        Problem(
            subject=name,
            kind=failed.kind,
            description=failed.message,
            stderr_tail=failed.stderr_tail,
        )
        for name, failures in results.absent.items()
        for failed in failures
    ]
    for outcome in results.outcomes.values():
        found += _problems_of(outcome, results)
    return found


def _problems_of(outcome: Outcome, results: Results) -> Iterator[Problem]:
    subject = f"{ends(outcome.cell)} in {outcome.cell.workload}"
    if outcome.problem:
        yield Problem(subject=subject, kind="broken", description=outcome.problem)
    alike = defaultdict(list)
    for failed in outcome.failures:
        if failed.repetition is not None:
            alike[failed.kind, failed.message].append(failed)
    for (kind, message), failures in alike.items():
        times = number.count(len(failures), "trial")
        yield Problem(
            subject=subject,
            kind=kind,
            description=f"{message} (in {times})",
            stderr_tail=failures[-1].stderr_tail,
        )
    if outcome.disturbances:
        description = disturbance_note(outcome.disturbances)
        yield Problem(subject=subject, kind=DISTURBED, description=description)
    if outcome.missing:
        repetitions = number.count(results.repetitions, "repetition")
        description = f"{outcome.missing} of {repetitions}"
        if results.budget_s:
            description = "the budget was used up"
        yield Problem(subject=subject, kind="not measured yet", description=description)


def not_observed(results: Results) -> list[str]:
    """Return sentences: which metrics were not observed, why, and in how many cells."""
    cells: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in results.not_observed:
        found = cells[row["metric"], row["reason"]]
        found.add((row["workload"], row["contestant"]))
    return [
        f"Not observed in {number.count(len(found), 'cell')}: {metric}: {reason}"
        for (metric, reason), found in cells.items()
    ]


def commands(results: Results) -> list[tuple[str, str]]:
    """Return the reproduction commands, each with its purpose."""
    arguments = shlex.split(results.run.command)
    planned = [_named(arguments, results.run), *_options(arguments, PLANNED)]
    stored = _options(arguments, ("--store",))
    files = [
        option.removeprefix("--store=") for option in stored if option != "--store"
    ]
    reported = [*files, "--run", str(results.run_id)]
    where = ", with both ends on one machine" if "client_hosts" in results.host else ""
    return [
        (results.run.command, "repeats the run"),
        (
            shlex.join(["autostrada", "plan", *planned]),
            "prints the input of engine and contestants, to repeat a trial by hand"
            + where,
        ),
        (
            shlex.join(["autostrada", "report", *reported]),
            "creates this report again from the store",
        ),
    ]


def cell_command(results: Results, cell: Cell) -> str:
    """Return the command that measures a cell again; empty for that of the engine."""
    ends_of_cell = dict.fromkeys((cell.server, cell.client))
    names = [name for name in ends_of_cell if name != REFERENCE]
    if not names:
        return ""
    arguments = shlex.split(results.run.command)
    selected = [word for name in names for word in ("--contestant", name)]
    return shlex.join(
        [
            *("autostrada", "run", _named(arguments, results.run)),
            *_options(arguments, CHANGING),
            *(*selected, "--workload", cell.point.workload),
        ]
    )


def _named(arguments: Sequence[str], run: Run) -> str:
    """Return the experiment as given in the command of a run: a name or a file."""
    file = f"{run.experiment}.toml"
    named = (
        argument
        for argument in arguments
        if PurePath(argument).name in (run.experiment, file)
    )
    return next(named, run.experiment)


def _options(arguments: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the options among ``names`` from a run's command, with their values."""
    for index, argument in enumerate(arguments):
        if argument.partition("=")[0] in names:
            yield argument
            if "=" not in argument and argument not in FLAGS:
                yield from arguments[index + 1 : index + 2]
