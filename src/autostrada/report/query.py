"""Questions to a store: the files of ``queries/``, one question each."""

from importlib.resources import files

from autostrada.experiment.experiment import parse_experiment
from autostrada.store.reader import Row, StoreReader


def ask(reader: StoreReader, question: str, run_id: int) -> list[Row]:
    """Run one file of ``queries/``."""
    path = files("autostrada.report").joinpath("queries", f"{question}.sql")
    return reader.query(path.read_text(encoding="utf-8"), run_id=run_id)


def is_of_race(reader: StoreReader, run_id: int | None = None) -> bool:
    """
    Say whether a run is of a race, the newest where no number is given.

    Raises:
        UsageError: there is no such run.
    """
    stored = reader.run(run_id)
    origin = f"run {stored.run_id}"
    return parse_experiment(stored.run.definition, origin=origin).is_race
