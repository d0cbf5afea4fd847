"""The site of several runs: its index, its pages and what it leaves out."""

import json
from dataclasses import replace
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from tests.unit.report.outline import embedded, words
from tests.unit.report.race import RUN, trials, write_race

from autostrada.errors import UsageError
from autostrada.report.pages.cell_table import connections_range
from autostrada.report.pages.document import as_json
from autostrada.report.pages.run_page import run_page
from autostrada.report.pages.site import write_site

HOSTILE = "../<img src=x>"


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    path = tmp_path_factory.mktemp("broken") / "broken.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    return path


@pytest.fixture(scope="module")
def site(market_path, race_path, broken, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "out"
    unread = write_site([market_path, broken, race_path], folder)
    assert [each.path for each in unread] == [broken]
    return folder


def page(site, name):
    return embedded((site / name).read_text(encoding="utf-8"))


def cells(page):
    """Return the table of all cells as a list of texts by the title of their column."""
    blocks = [block for each in page["sections"] for block in each["blocks"]]
    table = next(each for each in blocks if each.get("name", "").startswith("cells"))
    titles = [column["title"] for column in table["columns"]]
    return [
        dict(
            zip(
                titles,
                (
                    cell if isinstance(cell, str) else cell["text"]
                    for cell in row["cells"]
                ),
                strict=True,
            )
        )
        for row in table["rows"]
    ]


def test_the_index_has_every_measured_cell_with_what_it_is_chosen_by(
    site, race, market
):
    rows = cells(page(site, "index.html"))
    measured = [
        outcome
        for results in (race, market)
        for outcome in results.outcomes.values()
        if outcome.measured and outcome.cell.contestant != "reference"
    ]
    assert len(rows) == len(measured)
    assert {row["role"] for row in rows} == {"client", "server"}
    best = next(row for row in rows if row["library"] == "ada-fast")
    assert best["rank"].startswith("1 of ")
    assert best["protocol"] == "TCP"
    assert best["bottleneck"]
    assert best["connections"] == "1"
    assert best["conformance"] in {"passes", "fails cases", "not tested"}


def test_the_reasons_of_each_row_stand_in_a_file_beside_the_index(site):
    script = (site / "details.js").read_text(encoding="utf-8")
    details = json.loads(script.removeprefix("globalThis.autostradaDetails=")[:-2])
    index = page(site, "index.html")
    assert len(details) == len(cells(index))
    assert all("measures this cell again" in json.dumps(each) for each in details)
    assert "measures this cell again" not in json.dumps(index)


def test_trials_are_read_only_by_pages_of_a_site_with_metrics_of_no_engine(site, race):
    single = json.dumps(as_json(run_page(race, [], "small-2026-11-20.parquet")))
    assert '"Trials"' not in single
    text = json.dumps(page(site, "runs/small-2026-11-20.html"))
    assert '"Trials", "data": "small-2026-11-20.parquet", "server": "ref' in text
    assert '["client_memory_bytes_max", "client memory, MiB", 1048576.0, 1]' in text
    assert '["server_memory_bytes_max"' not in text


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1"), (2, "2 to 99"), (999, "100 to 999"), (10_000, "10,000 and more")],
)
def test_a_number_of_connections_is_chosen_by_its_range(count, text):
    assert connections_range(count).text == text


def test_several_runs_show_how_a_library_changed(race_path, tmp_path):
    store = tmp_path / "again.duckdb"
    later = replace(RUN, started_at=RUN.started_at + timedelta(days=1))
    write_race(store, run=later, made=trials())
    write_site([race_path, store], tmp_path / "out")
    text = words(page(tmp_path / "out", "libraries/ada-fast.html"))
    assert "Over runs" in text
    assert "too few runs: 2 runs of at least 8" in text
    alone = write_site([race_path], tmp_path / "alone")
    assert alone == []
    assert "Over runs" not in words(page(tmp_path / "alone", "libraries/ada-fast.html"))


def test_equal_ranks_stand_for_a_range_of_places(site):
    ranks = {row["rank"] for row in cells(page(site, "index.html"))}
    assert any("–" in rank for rank in ranks)


def test_a_file_that_cannot_be_read_is_named_beside_the_others(site):
    text = words(page(site, "index.html"))
    assert "broken.parquet: " in text
    assert "Who is fast?" in text
    assert "compare rows of one run" in text


def test_every_link_of_every_page_leads_to_a_file(site):
    links = [
        (file, link)
        for file in site.rglob("*.html")
        if file.parent.name != "latest"
        for link in linked(embedded(file.read_text(encoding="utf-8")))
    ]
    assert len({link for _, link in links}) > 8
    missing = [link for file, link in links if not (file.parent / link).is_file()]
    assert not missing


def linked(value):
    if isinstance(value, dict):
        for key in ("link", "home", "data"):
            if (link := value.get(key, "")) and not link.startswith("http"):
                yield link
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from linked(each)


def test_a_library_has_its_ranks_settings_and_a_badge(site):
    text = words(page(site, "libraries/ada-fast.html"))
    assert "ada-fast as client: " in text
    assert "contestants/ada-fast of the repository" in text
    badge = json.loads((site / "badges" / "ada-fast.json").read_text())
    assert badge["schemaVersion"] == 1
    assert badge["message"].startswith("1 of ")
    drawn = ElementTree.parse(site / "badges" / "ada-fast.svg").getroot()
    texts = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [badge["label"], badge["message"]]


def test_the_newest_run_of_an_experiment_has_an_address_of_its_own(site):
    page = (site / "latest" / "small.html").read_text(encoding="utf-8")
    assert 'url=../runs/small-2026-11-20.html"' in page


def test_runs_of_one_day_have_pages_of_their_own(race_path, tmp_path):
    store = tmp_path / "again.duckdb"
    later = replace(RUN, started_at=RUN.started_at.replace(hour=22))
    write_race(store, run=later, made=trials())
    write_site([race_path, store], tmp_path / "out")
    names = {path.name for path in (tmp_path / "out" / "runs").glob("*.html")}
    assert len(names) == 2
    assert "small-2026-11-20.html" in names


def test_a_name_cannot_leave_the_folder_of_the_site(tmp_path):
    store = tmp_path / "hostile.duckdb"
    write_race(store, run=replace(RUN, experiment=HOSTILE), made=trials())
    write_site([store], tmp_path / "deep" / "out")
    [run] = (tmp_path / "deep" / "out" / "runs").glob("*.html")
    assert run.resolve().parent.name == "runs"
    assert "<img src=x>" not in run.read_text(encoding="utf-8")


def test_without_any_file_that_can_be_read_there_is_no_site(broken, tmp_path):
    with pytest.raises(UsageError, match="no file can be read: "):
        write_site([broken], tmp_path / "out")


def test_the_outline_names_runs_and_libraries(site):
    lines = (site / "llms.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Autostrada"
    assert "- [ada-fast](libraries/ada-fast.html)" in lines
