"""One self-contained HTML page of one run: of a race, or of another experiment."""

from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.course.course import read_courses
from autostrada.report.experiment.page import experiment_page
from autostrada.report.experiment.results import read_results
from autostrada.report.query import is_of_race
from autostrada.report.race.page import page
from autostrada.report.race.race import read_race
from autostrada.store.reader import StoreReader


def write_page(
    store_path: Path, page_path: Path | None = None, run_id: int | None = None
) -> Path:
    """
    Make the page of a run from the store alone; return where it lies.

    Without a number it is the newest run; without a path it lies beside the store.

    Raises:
        UsageError: there is no such store or run, or the page cannot be written.
    """
    page_path = page_path or store_path.with_suffix(".html")
    with StoreReader.open(store_path) as reader:
        html = _page(reader, run_id)
    try:
        page_path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {page_path}: {error.strerror}; name another file"
        ) from error
    return page_path


def _page(reader: StoreReader, run_id: int | None) -> str:
    results = read_results(reader, run_id)
    if not is_of_race(reader, run_id):
        return experiment_page(results)
    race = read_race(reader, run_id)
    return page(race, read_courses(reader, race), results)
