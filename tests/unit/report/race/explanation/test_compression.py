"""Clients of a server that grants compression, and of one that does not."""

from dataclasses import replace

import pytest

from autostrada.report.race.explanation.compression import compression

PLAIN = {"ada": 10, "bash": 10, "cobol": 10, "dart": 10, "erlang": 10}


@pytest.fixture
def sized(nothing):
    def traces(**after):
        before = {("one", name): 13.0 for name in PLAIN}
        sizes = before | {("granted", name): size for name, size in after.items()}
        return {
            cell: replace(nothing, wire_bytes_per_message=size)
            for cell, size in sizes.items()
        }

    return traces


def test_who_offers_it_pays_and_the_others_stay_as_they_are(ranking, sized):
    granted = ranking("granted", {"ada": 12, "bash": 90}, deflate=True)
    found = compression(ranking("one", PLAIN), granted, sized(ada=13.0, bash=6.0))
    # ada took longer as well, but by chance: what it gets is the same.
    assert found.effects == {
        "ada": 1.0,
        "bash": pytest.approx(1 / 9),
        "cobol": 1.0,
        "dart": 1.0,
        "erlang": 1.0,
    }
    assert found.measured[1] == (
        "Those that do: bash. They take 9.00× as long in the median, bash the most, "
        "9.00×: a message of it is 6.00 bytes on the wire instead of 13.0. Those that "
        "do not: ada."
    )


def test_where_nobody_offers_it_nobody_pays(ranking, sized):
    granted = ranking("granted", {"ada": 90}, deflate=True)
    found = compression(ranking("one", PLAIN), granted, sized(ada=13.0))
    assert set(found.effects.values()) == {1.0}
    assert found.measured[1] == "Of 1 client nobody offers it."


def test_it_needs_both_workloads_and_what_was_on_the_wire(ranking, sized):
    one, granted = ranking("one", PLAIN), ranking("granted", {"ada": 9}, deflate=True)
    assert compression(one, None, sized()).lacks
    assert compression(None, granted, sized()).lacks
    assert compression(one, granted, {}).lacks
