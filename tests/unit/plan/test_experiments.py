"""What experiments/ has: who is invited, what was published, which data is sent."""

import re

from autostrada.plan.catalog import find_catalog

CATALOG = find_catalog()
RECORD = re.compile(r"\d{4}-\d\d-\d\d(,\d{1,7}\.\d\d){4},\d{1,15}")


def test_the_records_of_stocks_are_as_the_contract_has_them():
    path = CATALOG.root / "experiments" / "data" / "stocks.csv"
    head, *records, end = path.read_bytes().decode("ascii").split("\n")
    assert (head, end) == ("date,open,high,low,close,volume", "")
    assert [each for each in records if not RECORD.fullmatch(each)] == []
    assert len(records) >= 100, "a message of 100 stocks has none twice"
    dates = [record.partition(",")[0] for record in records]
    assert dates == sorted(set(dates))


def test_a_record_has_the_highest_and_lowest_price_of_its_day():
    path = CATALOG.root / "experiments" / "data" / "stocks.csv"
    for record in path.read_text().splitlines()[1:]:
        opened, high, low, closed = map(float, record.split(",")[1:5])
        assert low <= min(opened, closed) <= max(opened, closed) <= high, record
