"""SQL queries of the report; each file of ``queries/`` holds one."""

from importlib.resources import files

from autostrada.store.reader import Row, StoreReader


def run_query(reader: StoreReader, query_name: str, run_id: int) -> list[Row]:
    """Run the query ``queries/<query_name>.sql`` for a run and return its rows."""
    path = files("autostrada.report").joinpath("queries", f"{query_name}.sql")
    return reader.query(path.read_text(encoding="utf-8"), run_id=run_id)
