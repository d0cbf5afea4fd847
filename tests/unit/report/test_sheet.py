"""How the frame of a page writes facts."""

import pytest

from autostrada.report.number import THIN_SPACE
from autostrada.report.sheet import fact, fact_name


@pytest.mark.parametrize(
    ("key", "value", "name", "words"),
    [
        ("memory_bytes", 2**33, "memory", f"8.00{THIN_SPACE}GiB"),
        ("is_shared_core", "true", "shared core", "yes"),
        ("is_pinned", "unknown", "pinned", "unknown"),
        ("cpu_model", "Abacus 9", "cpu model", "Abacus 9"),
    ],
)
def test_a_fact_is_written_by_what_its_name_says(key, value, name, words):
    assert fact_name(key) == name
    assert fact(value, key) == words
