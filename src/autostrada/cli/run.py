"""``autostrada run``: run an experiment, or all of them."""

import platform
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autostrada.cli.options import (
    DEFAULT_STORE,
    Contestants,
    Only,
    Overrides,
    Page,
    Quick,
    Seed,
    Store,
    Workloads,
    argument,
    option,
)
from autostrada.cli.output import print_line, show_run

if TYPE_CHECKING:
    from autostrada.experiment.next_round import NextRound
    from autostrada.runner.command import Prepare, RunOptions
    from autostrada.runner.progress import Progress
    from autostrada.store.reader import StoreReader


def run(
    experiment: Annotated[
        str,
        argument(
            "Name of an experiment (autostrada list), a TOML file, or all.",
            "EXPERIMENT",
        ),
    ],
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the newest run of this experiment."),
    ] = False,
    add_to: Annotated[
        Path | None,
        option(
            "Add rounds to an archived run, of this machine or another.", "FILE", "none"
        ),
    ] = None,
    contestant: Only = None,
    workload: Workloads = None,
    repetitions: Annotated[
        int | None,
        option(
            "Trials per cell, instead of a budget.", "NUMBER", "the experiment's", min=1
        ),
    ] = None,
    quick: Quick = False,
    overrides: Overrides = None,
    seed: Seed = None,
    budget: Annotated[
        str | None,
        option(
            "Time for trials, for example 30m. It is spent on what is published "
            "first: rounds of a comparison until it is decided. With --resume, further "
            "time.",
            "DURATION",
            "the experiment's",
        ),
    ] = None,
    cpus: Annotated[
        str | None, option("Use only these cores, for example 0-3,6.", "LIST", "all")
    ] = None,
    place: Annotated[
        str | None,
        option(
            "Where clients are, if not on this machine: clients=others, or names "
            "of hosts of a cluster, clients=host1+host2. docs/hosts.md",
            "ENDS",
            "this machine",
        ),
    ] = None,
    hosts: Annotated[
        str | None,
        option(
            "Address of the cluster of --place, such as ray://head:10001.",
            "ADDRESS",
            "auto",
        ),
    ] = None,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration/--no-calibration",
            help="First calibrate this build on this machine (at most a minute), "
            "unless the results file has such a calibration.",
        ),
    ] = True,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", help="Print a line for each trial instead of a progress bar."
        ),
    ] = False,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Serve a page of the results so far, on this machine alone. A browser "
            "here is other load: trials that it disturbs are repeated, and reported.",
        ),
    ] = False,
    contestants: Contestants = None,
    store: Store = DEFAULT_STORE,
    page: Page = None,
) -> None:
    """
    Run an experiment; print its answer and write a page.

    Missing contestants are built first. "all" runs every experiment.

    \b
    Example: autostrada run race --quick --contestant javascript-ws
    """  # noqa: D301
    from autostrada.errors import UsageError
    from autostrada.hosts.place import parse_place
    from autostrada.runner.command import RunOptions, run_command
    from autostrada.runner.run_all import ALL

    if live and experiment == ALL:
        raise UsageError("--live applies to one experiment: name it instead of all")
    if hosts and not place:
        raise UsageError("--hosts needs --place: add it, such as clients=others")
    options = RunOptions(
        experiment=experiment,
        resume=resume,
        add_to=add_to,
        only=tuple(contestant or ()),
        repetitions=repetitions,
        is_quick=quick,
        overrides=tuple(overrides or ()),
        workloads=tuple(workload or ()),
        seed=seed,
        budget=budget,
        cpus=cpus,
        place=parse_place(place, hosts or "auto", platform.node()) if place else None,
        contestants=contestants,
        store=store,
        page=page,
        is_verbose=verbose,
    )
    prepare = partial(_calibrate_once, store) if calibration else lambda _: None
    if experiment == ALL:
        _run_all(options, prepare)
    elif live:
        _run_live(options, prepare)
    else:
        show_run(store, page, *run_command(options, prepare, _undecided))


def _calibrate_once(store: Path, progress: "Progress") -> None:
    from autostrada.calibration.automatic import calibrate_once

    calibrate_once(store, progress)


def _undecided(reader: "StoreReader", run_id: int) -> "list[NextRound]":
    from autostrada.report.claims import conclusions
    from autostrada.report.next_rounds import next_rounds
    from autostrada.report.results import read_results

    evaluated = conclusions(read_results(reader, run_id))
    return [next_round for one in evaluated for next_round in next_rounds(one)]


def _run_live(options: "RunOptions", prepare: "Prepare") -> None:
    from autostrada.cli.live import LiveView
    from autostrada.runner.command import run_command

    view = LiveView()

    def prepare_view(progress: "Progress") -> None:
        prepare(progress)
        progress.watch = partial(view.show, progress)

    run_id, log = run_command(options, prepare_view, _undecided)
    path = show_run(options.store, options.page, run_id, log)
    view.end(options.store, run_id, path)


def _run_all(options: "RunOptions", prepare: "Prepare") -> None:
    from rich.console import Console

    from autostrada.contestants.catalog import find_catalog
    from autostrada.runner.run_all import run_all

    report = partial(show_run, options.store)
    catalog = find_catalog(options.contestants)
    failed = run_all(options, catalog, report, Console(), prepare, _undecided)
    if failed:
        print_line(f"failed: {', '.join(failed)}")
    raise typer.Exit(1 if failed else 0)
