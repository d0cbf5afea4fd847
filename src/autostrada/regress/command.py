"""The command ``autostrada regress``: measures two sides in turn, and answers."""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.errors import UsageError
from autostrada.experiment.sides import ComparedSides
from autostrada.machine.executable import find_program
from autostrada.regress.conformance import compare_conformance
from autostrada.regress.servers import echoes_of, find_servers
from autostrada.regress.sides import (
    RegressSide,
    build_sides,
    find_revisions,
    find_sides,
)
from autostrada.regress.workloads import WORKLOADS, choose_workloads
from autostrada.report.compare.command import Outputs, check_outputs, print_report
from autostrada.report.compare.gate import parse_gate
from autostrada.report.compare.rounds import CONDITIONS, read_rounds, undecided
from autostrada.report.compare.rounds_report import report_rounds
from autostrada.runner.command import RunOptions, parse_duration, run_contestants
from autostrada.store.file import make_writable
from autostrada.store.reader import StoreReader


@dataclass(frozen=True, kw_only=True, slots=True)
class RegressOptions:
    """Arguments of ``autostrada regress``."""

    before: str
    after: str
    git: Path | None
    """Repository of a library, of which both sides are revisions; or ``None``."""

    contestant: str | None
    """The contestant that measures these; ``None`` for the only one."""

    url: str | None
    """URL of a server, which both sides are commands of; or ``None``."""

    connections: int | None
    """Number of its connections; ``None`` for that of the workloads."""

    is_conformance_compared: bool
    is_same: bool
    detect: str
    budget: str
    seed: int | None
    workloads: Path | None
    """File of an experiment with workloads; ``None`` for those of the package."""

    fail_if: tuple[str, ...]
    profile: Path | None
    """Page with a profile of both sides; ``None`` for no profile."""

    outputs: Outputs
    contestants: Path | None
    store: Path


def regress_command(options: RegressOptions) -> int:
    """
    Measure two sides in turn and print the report; return the exit status.

    Raises:
        UsageError: an argument is invalid, a side does not exist or cannot be built, or
            no row can be checked by a condition.
    """
    conditions = [parse_gate(text, CONDITIONS) for text in options.fail_if]
    margin = parse_margin(options.detect)
    check_outputs(options.outputs)
    if options.profile:
        find_program("perf")
        make_writable(options.profile)
    catalog = find_catalog(options.contestants)
    file = str(options.workloads or WORKLOADS)
    with _sides(options, catalog) as sides:
        builder = Builder.of(catalog)
        build_sides(sides, builder, _announce)
        compared = options.is_conformance_compared
        gates = (compare_conformance(sides, builder),) if compared else ()
        experiment = catalog.experiment(file).experiment
        chosen = choose_workloads(
            experiment,
            [side.contestant for side in sides],
            parse_duration(options.budget),
            echoes_of(options.url, options.connections, experiment)
            if options.url
            else None,
            metrics=dict.fromkeys(condition.metric for condition in conditions),
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
                labels=(sides[0].label, sides[1].label),
                margin=margin,
                rounds_max=chosen.rounds_max,
                fail_if=options.fail_if,
            ),
        )
        run_id, _ = run_contestants(
            run_options, catalog, contestants, lambda _: None, undecided
        )
        causes: list[str] = []
        if options.profile:
            causes = _explain(options, run_options, run_id, catalog, contestants)
    report = report_rounds(options.store, run_id)
    report = replace(report, causes=tuple(causes), gates=(*gates, *report.gates))
    return print_report(report, options.outputs)


def _explain(
    options: RegressOptions,
    run_options: RunOptions,
    run_id: int,
    catalog: Catalog,
    contestants: Mapping[str, Contestant],
) -> list[str]:
    """Profile both sides in the workload that became slower most."""
    from autostrada.regress.profile import explain, row_to_explain

    assert options.profile, "a page is asked for"
    with StoreReader.open(options.store) as reader:
        found = read_rounds(reader, run_id)
    row = row_to_explain(found)
    if row is None:
        return ["no profile: no row of CPU time was measured"]
    workload = found.results.points[row.workload]
    return explain(row, workload, run_options, catalog, contestants, options.profile)


def _sides(
    options: RegressOptions, catalog: Catalog
) -> AbstractContextManager[tuple[RegressSide, RegressSide]]:
    """Return the sides, which exist within the context."""
    texts, is_same = (options.before, options.after), options.is_same
    if options.url and (options.git or options.contestant):
        raise UsageError("--url is for two commands: leave out --git and CONTESTANT")
    if options.url and options.is_conformance_compared:
        raise UsageError("--conformance tests contestants: leave it out, or --url")
    if options.connections and not options.url:
        raise UsageError("-c is for two commands: give --url ws://127.0.0.1:{port}/")
    if options.url:
        return find_servers(texts, is_same=is_same)
    if options.git:
        name = options.contestant
        return find_revisions(options.git, texts, name, catalog, is_same=is_same)
    if options.contestant:
        raise UsageError("a third argument is for --git FOLDER: give two sides")
    return find_sides(texts, catalog, is_same=is_same)


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
