"""The command ``autostrada regress``: measures two sides in turn, and answers."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.errors import UsageError
from autostrada.experiment.sides import ComparedSides
from autostrada.regress.sides import build_sides, find_sides
from autostrada.regress.workloads import WORKLOADS, choose_workloads
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.command import FAILED_STATUS
from autostrada.report.compare.gate import check_condition, parse_change
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.terminal import print_changes
from autostrada.report.regression import RegressionRow, read_regression, undecided
from autostrada.report.regression_report import EXAMPLES, report_regression
from autostrada.runner.command import RunOptions, parse_duration, run_contestants
from autostrada.stats.condition import Condition
from autostrada.store.file import make_writable
from autostrada.store.reader import StoreReader


@dataclass(frozen=True, kw_only=True, slots=True)
class RegressOptions:
    """Arguments of ``autostrada regress``."""

    before: str
    after: str
    is_same: bool
    detect: str
    budget: str
    seed: int | None
    workloads: Path | None
    """File of an experiment with workloads; ``None`` for those of the package."""

    fail_if: tuple[str, ...]
    markdown: str | None
    """Path of a file, ``-`` for the standard output, or ``None`` for neither."""

    json: str | None
    contestants: Path | None
    store: Path


def regress_command(options: RegressOptions) -> int:
    """
    Measure two sides in turn and print the report; return the exit status.

    Raises:
        UsageError: an argument is invalid, a side does not exist or cannot be built, or
            no row can be checked by a condition.
    """
    conditions = [parse_change(text, EXAMPLES) for text in options.fail_if]
    margin = parse_margin(options.detect)
    for path in (options.markdown, options.json):
        if path not in {None, "-"}:
            make_writable(Path(str(path)))
    if options.markdown == options.json == "-":
        raise UsageError("--markdown - and --json - share an output: name a file")
    catalog = find_catalog(options.contestants)
    file = str(options.workloads or WORKLOADS)
    texts = (options.before, options.after)
    with find_sides(texts, catalog, is_same=options.is_same) as sides:
        build_sides(sides, Builder.of(catalog), _announce)
        chosen = choose_workloads(
            catalog.experiment(file).experiment,
            [side.contestant for side in sides],
            parse_duration(options.budget),
        )
        for text in chosen.left_out:
            _announce(f"left out: {text}")
        contestants = {side.contestant.name: side.contestant for side in sides}
        before, after = contestants
        run_options = RunOptions(
            experiment=file,
            only=(before, after),
            seed=options.seed,
            budget=options.budget,
            store=options.store,
            overrides=chosen.overrides,
            workloads=chosen.names,
            sides=ComparedSides(
                before=before,
                after=after,
                labels=texts,
                margin=margin,
                rounds_max=chosen.rounds_max,
            ),
        )
        run_id, _ = run_contestants(
            run_options, catalog, contestants, lambda _: None, undecided
        )
    report = read_report(options.store, run_id, conditions)
    _print(report, options)
    return FAILED_STATUS if report.has_failed else 0


def read_report(
    store: Path, run_id: int | None, conditions: Sequence[Condition] = ()
) -> ChangeReport:
    """
    Return the report of a stored run that compares two sides.

    Raises:
        UsageError: it does not compare two sides, or no row can be checked.
    """
    with StoreReader.open(store) as reader:
        found = read_regression(reader, run_id)
    cells: dict[str, dict[str, RegressionRow]] = {}
    for row in found.rows:
        cells.setdefault(row.workload, {})[row.name] = row
    gates = tuple(check_condition(condition, cells) for condition in conditions)
    return replace(report_regression(found), gates=gates)


def parse_margin(text: str) -> float:
    """
    Parse the smallest change of interest: ``3%``.

    Raises:
        UsageError: it is no percentage between 0.1 and 50.
    """
    try:
        margin = float(text.strip().removesuffix("%")) / 100
    except ValueError:
        margin = 0.0
    if not 0.001 <= margin <= 0.5:
        raise UsageError(
            f"--detect {text!r} is not a percentage from 0.1% to 50%: write it like 3%"
        )
    return margin


def _announce(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _print(report: ChangeReport, options: RegressOptions) -> None:
    """Print the report in each of the forms that are wanted, by default as tables."""
    forms: Mapping[str | None, str] = {
        options.markdown: markdown(report),
        options.json: f"{json.dumps(report.document(), indent=2)}\n",
    }
    for path, text in forms.items():
        if path == "-":
            sys.stdout.write(text)
        elif path:
            Path(path).write_text(text, encoding="utf-8")
    if "-" not in forms:
        print_changes(report, Console())
