"""Questions to a store: the files of ``queries/``, one question each."""

from importlib.resources import files

from autostrada.store.reader import Row, StoreReader


def ask(reader: StoreReader, question: str, run_id: int) -> list[Row]:
    """Run one file of ``queries/``."""
    path = files("autostrada.report").joinpath("queries", f"{question}.sql")
    return reader.query(path.read_text(encoding="utf-8"), run_id=run_id)
