"""What the cases of clients and of servers of published comparisons share."""

import pytest

from autostrada.contestants.catalog import find_catalog

KITS = find_catalog().root / "kits"


@pytest.fixture(scope="session")
def stocks_file():
    """Return the file whose records are those of the expected messages."""
    return KITS / "stocks.csv"
