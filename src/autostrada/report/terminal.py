"""The tables of one run for a terminal: of a race, or of another experiment."""

from pathlib import Path

from rich.console import Console

from autostrada.report.experiment.results import read_results
from autostrada.report.experiment.terminal import print_experiment
from autostrada.report.query import is_of_race
from autostrada.report.race.race import read_race
from autostrada.report.race.terminal import print_race
from autostrada.store.reader import StoreReader


def print_run(store_path: Path, console: Console, run_id: int | None = None) -> None:
    """
    Print the tables of a run, the newest where no number is given.

    Raises:
        UsageError: there is no such store or run.
    """
    with StoreReader.open(store_path) as reader:
        results = read_results(reader, run_id)
        if is_of_race(reader, run_id):
            print_race(read_race(reader, run_id), results, console)
        else:
            print_experiment(results, console)
