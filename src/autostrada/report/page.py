"""One self-contained HTML page of one run: of a race, or of another experiment."""

from pathlib import Path

from autostrada.report.course.course import read_courses
from autostrada.report.experiment.page import experiment_page
from autostrada.report.experiment.results import read_results
from autostrada.report.export.files import write_sheet
from autostrada.report.export.place import Place
from autostrada.report.query import ask, is_of_race
from autostrada.report.race.page import page
from autostrada.report.race.race import read_race
from autostrada.report.sheet import Sheet
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


def make_page(reader: StoreReader, place: Place, run_id: int | None = None) -> Sheet:
    """
    Write the page of a run and what lies beside it; return what was written.

    Without a number it is the newest run.
    """
    run_id = reader.run(run_id).run_id
    made = _sheet(reader, place, run_id)
    write_sheet(made, place, reader.path, run_id)
    return made


def _sheet(reader: StoreReader, place: Place, run_id: int) -> Sheet:
    results = read_results(reader, run_id)
    if is_of_race(reader, run_id):
        race = read_race(reader, run_id)
        return page(race, read_courses(reader, race), results, place)
    return experiment_page(results, ask(reader, "over_time", run_id), place)
