"""One self-contained HTML page of one run: of a race, or of another experiment."""

from pathlib import Path

from autostrada.report.course.course import read_courses
from autostrada.report.export.files import write_sheet
from autostrada.report.export.place import Place
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
    place = Place(path=page_path or store_path.with_suffix(".html"))
    with StoreReader.open(store_path) as reader:
        make_page(reader, place, run_id)
    return place.path


def make_page(reader: StoreReader, place: Place, run_id: int | None = None) -> None:
    """Write the page of a run, the newest without a number, and what lies beside it."""
    race = read_race(reader, run_id)
    made = page(race, read_courses(reader, race), place)
    write_sheet(made, place, reader.path, race.run_id)
