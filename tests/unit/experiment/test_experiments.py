"""The experiments of the repository: published values, and data that is sent."""

import re
from collections import Counter

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.experiment.document import parse_document, read_document
from autostrada.experiment.experiment import read_experiment
from autostrada.experiment.publication import Publication

CATALOG = find_catalog()
FOLDER = CATALOG.root / "experiments"
STOCKS_FILE = FOLDER / "data" / "stocks.csv"
KEYS = ("open", "high", "low", "close", "volume")
RECORD = re.compile(r"\d{4}-\d\d-\d\d(,\d{1,7}\.\d\d){4},\d{1,15}")
METRICS = {
    # Sixteen tables of three rows and four columns. Those of throughput and memory have
    # two metrics per cell, those of memory by thirds as well, with one exception.
    "stocks": {
        "sent_per_client_per_s": 4 * 12,
        "received_per_client_per_s": 4 * 12,
        "latency_ms_mean": 4 * 12,
        "client_cpu_utilization": 4 * 12,
        "server_memory_bytes_third_1": 3 * 12,
        "server_memory_bytes_third_2": 3 * 12,
        "server_memory_bytes_third_3": 4 * 12,
        "client_memory_bytes_third_1": 3 * 12,
        "client_memory_bytes_third_2": 3 * 12,
        "client_memory_bytes_third_3": 4 * 12,
    },
    # Four tables of 5, 4, 7 and 6 lines, and three metrics in the text.
    "broadcast": {
        "received_per_s": 5 + 4,
        "received_per_client_per_s": 7 + 6 + 1,
        "start_to_open_ms": 2,
    },
    # Metrics that are only in the text.
    "bots": {"achieved_share": 2, "response_ms_mean": 2, "network_bytes_per_event": 3},
    "secure-100k": {
        "is_steady": 5,
        "connect_s": 1,
        "received_per_s": 1,
        "server_cpu_utilization": 1 + 2,
        "server_total_memory_bytes_per_connection": 1,
        "late_share": 4,
    },
    # Two tables of ten lines.
    "race": {"ms_per_million": 20},
}
"""By file, of those whose source was counted: the cells per metric in its tables."""

CLAIMS = {"stocks": 16, "broadcast": 14, "bots": 11, "secure-100k": 12, "race": 5}
PUBLISHED = sorted(path.stem for path in FOLDER.glob("published/*.toml"))


def publication(name):
    text = read_document(FOLDER / "published" / f"{name}.toml")
    return parse_document(Publication, text, origin=name)


def test_all_counted_publications_are_present():
    assert METRICS.keys() == CLAIMS.keys() <= set(PUBLISHED)


@pytest.mark.parametrize("name", METRICS)
def test_the_number_of_published_metrics_matches_the_source(name):
    read = publication(name)
    cells = Counter(table.metric for table in read.table for _ in table.cells)
    assert cells == METRICS[name]
    assert len(read.claim) == CLAIMS[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_tables_have_a_title_of_their_own_and_each_cell_once(name):
    tables = publication(name).table
    assert len({table.title for table in tables}) == len(tables)
    for table in tables:
        cells = [table.cell(published) for published in table.cells]
        assert len(set(cells)) == len(cells), table.title
        for published in table.cells:
            assert published.value is not None or published.note, table.title


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_publication_has_its_systems_an_answer_and_a_row_of_the_readme(name):
    systems = publication(name).system
    assert {"machine", "operating system"} & {
        each.role.removesuffix(" of the server") for each in systems
    }
    assert len({(each.name, each.role) for each in systems}) == len(systems)
    experiment, _ = read_experiment(FOLDER / f"{name}.toml")
    assert experiment.answer
    assert f"\n| `{name}` | " in (CATALOG.root / "README.md").read_text()


def test_fifteen_cells_of_stocks_were_disconnected():
    unmeasured = [
        published.note
        for table in publication("stocks").table
        for published in table.cells
        if published.value is None
    ]
    assert unmeasured == ["disconnected"] * 15


def test_the_records_of_stocks_match_the_contract():
    head, *records, end = STOCKS_FILE.read_bytes().decode("ascii").split("\n")
    assert (head, end) == ("date,open,high,low,close,volume", "")
    assert [each for each in records if not RECORD.fullmatch(each)] == []
    assert len(records) >= 100, "a message of 100 stocks has none twice"
    dates = [record.partition(",")[0] for record in records]
    assert dates == sorted(set(dates))


def test_a_stock_has_the_size_that_the_published_memory_shows():
    """1.09 to 1.28 kB of memory, of which a server may hold a sixth for nothing."""
    experiment, _ = read_experiment(FOLDER / "stocks.toml")
    rows = [line.split(",")[1:] for line in STOCKS_FILE.read_text().splitlines()[1:]]
    for workload in experiment.workload:
        assert workload.bars is not None
        assert workload.decode == "whole"
        for begin in range(len(rows)):
            series = [rows[(begin + i) % len(rows)] for i in range(workload.bars)]
            columns = dict(zip(KEYS, zip(*series, strict=True), strict=True))
            lists = [f'"{key}":[{",".join(each)}]' for key, each in columns.items()]
            assert 930 <= len(f"{{{','.join(lists)}}}") <= 1280


def test_a_record_has_the_highest_and_lowest_price_of_its_day():
    for record in STOCKS_FILE.read_text().splitlines()[1:]:
        opened, high, low, closed = map(float, record.split(",")[1:5])
        assert low <= min(opened, closed) <= max(opened, closed) <= high, record
