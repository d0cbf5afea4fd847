"""All cells at a glance: figures by groups, what went wrong, how to repeat it."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.circumstances import disturbance_note
from autostrada.report.results import Outcome, Results
from autostrada.stats.figures import FIGURES, Figure, Group
from autostrada.store.record import Run

FLAGS = ("--quick",)
"""Options without a value."""

PLANNED = (*FLAGS, "--contestant", "--workload", "--set", "--contestants")
"""Options of a run that choose its cells, and that ``autostrada plan`` takes too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupTable:
    """The figures of one group that any cell has, and a row for each cell with one."""

    group: Group
    figures: tuple[Figure, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Trouble:
    """Something that went wrong, where, and in what words."""

    where: str
    kind: str
    words: str
    stderr_tail: str = ""


def by_ends(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return cells by their server and client, in the order in which these come."""
    found = defaultdict(list)
    for outcome in outcomes:
        found[ends(outcome.cell)].append(outcome)
    return found


def group_tables(results: Results) -> list[GroupTable]:
    """Return a table for each group of which anything is known."""
    tables = []
    for group in Group:
        outcomes = tuple(
            outcome
            for outcome in results.outcomes.values()
            if any(FIGURES[name].group is group for name in outcome.figures)
        )
        figures = tuple(
            figure
            for figure in FIGURES.values()
            if figure.group is group
            and any(figure.name in outcome.figures for outcome in outcomes)
        )
        if outcomes:
            tables.append(GroupTable(group=group, figures=figures, outcomes=outcomes))
    return tables


def ends(cell: Cell) -> str:
    """Name server and client of a cell; the engine is called so."""
    names = [
        "engine" if each == REFERENCE else each for each in (cell.server, cell.client)
    ]
    return " → ".join(names)


def gap(results: Results) -> str:
    """Say how much of the run is missing; empty where it is complete."""
    if not results.missing:
        return ""
    trials = number.count(results.missing, "trial")
    verb = "is" if results.missing == 1 else "are"
    return f"This run is not complete: {trials} {verb} missing."


def troubles(results: Results) -> list[Trouble]:
    """Return what failed, broke, was disturbed or is missing; what is alike once."""
    found = [
        Trouble(
            where=name,
            kind=failed.failure.kind,
            words=failed.failure.message,
            stderr_tail=failed.failure.stderr_tail,
        )
        for name, failures in results.absent.items()
        for failed in failures
    ]
    for outcome in results.outcomes.values():
        found += _troubles_of(outcome, results)
    return found


def _troubles_of(outcome: Outcome, results: Results) -> Iterator[Trouble]:
    where = f"{ends(outcome.cell)} in {outcome.cell.workload}"
    if outcome.trouble:
        yield Trouble(where=where, kind="broken", words=outcome.trouble)
    alike = defaultdict(list)
    for failed in outcome.failures:
        if failed.repetition is not None:
            alike[failed.failure.kind, failed.failure.message].append(failed)
    for (kind, message), failures in alike.items():
        times = number.count(len(failures), "trial")
        yield Trouble(
            where=where,
            kind=kind,
            words=f"{message} (in {times})",
            stderr_tail=failures[-1].failure.stderr_tail,
        )
    if outcome.disturbances:
        words = disturbance_note(outcome.disturbances)
        yield Trouble(where=where, kind="disturbed", words=words)
    if outcome.missing:
        repetitions = number.count(results.repetitions, "repetition")
        words = f"{outcome.missing} of {repetitions}"
        yield Trouble(where=where, kind="not measured yet", words=words)


def not_observed(results: Results) -> list[str]:
    """Say what could not be observed, why, and in how many cells."""
    cells: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in results.not_observed:
        found = cells[row["figure"], row["reason"]]
        found.add((row["workload"], row["contestant"]))
    return [
        f"Not observed in {number.count(len(found), 'cell')}: {figure}: {reason}"
        for (figure, reason), found in cells.items()
    ]


def commands(results: Results) -> list[tuple[str, str]]:
    """Return how the run, a trial by hand and this report are made again, and what."""
    words = shlex.split(results.run.command)
    planned = [_named(words, results.run), *_options(words, PLANNED)]
    reported = ["--run", str(results.run_id), *_options(words, ("--store",))]
    return [
        (results.run.command, "runs it again"),
        (
            shlex.join(["autostrada", "plan", *planned]),
            "prints what engine and contestants are given, to repeat a trial by hand",
        ),
        (
            shlex.join(["autostrada", "report", *reported]),
            "makes this report again, from the store alone",
        ),
    ]


def _named(words: Sequence[str], run: Run) -> str:
    """Return the experiment as the command of a run has it: a name, or a file."""
    file = f"{run.experiment}.toml"
    named = (word for word in words if PurePath(word).name in (run.experiment, file))
    return next(named, run.experiment)


def _options(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield those options of a run's command that another command takes as well."""
    for place, word in enumerate(words):
        if word.partition("=")[0] in names:
            yield word
            if "=" not in word and word not in FLAGS:
                yield from words[place + 1 : place + 2]
