"""What the cases of clients and of servers of published comparisons share."""

import sys

import pytest

from autostrada.contestants.catalog import find_catalog

KITS = find_catalog().root / "kits"


@pytest.fixture(scope="session")
def vectors():
    """Return the module that computes the expected messages and verdicts."""
    sys.path.insert(0, str(KITS))
    try:
        import vectors
    finally:
        sys.path.pop(0)
    return vectors


@pytest.fixture(scope="session")
def stocks_file():
    """Return the file whose records are those of the expected messages."""
    return KITS / "stocks.csv"
