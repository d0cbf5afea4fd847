"""Where the ends were, and notes about a machine that cannot separate them."""

import pytest

from autostrada.report.circumstances import ends_sentence, machine_note


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ({}, ""),
        ({"is_shared_core": "false", "is_pinned": "true"}, ""),
        ({"is_shared_core": "true"}, "shared a core"),
        ({"is_shared_core": "true", "client_hosts": "host1"}, ""),
        ({"is_pinned": "false"}, "were not pinned to cores"),
    ],
)
def test_a_machine_that_cannot_separate_the_ends_is_marked(fact, text):
    note = machine_note({"cores": 2, **fact})
    assert text in note
    assert bool(note) == bool(text)


def test_a_page_says_where_the_ends_were():
    assert ends_sentence({"cores": 2}) == "Servers and clients were on one machine."
    found = ends_sentence(
        {"client_hosts": "host1, host2", "client_clock_error_us": "312"}
    )
    assert found.startswith("The clients were on other hosts than the servers: host1,")
    assert found.endswith("exact to 0.31 ms.")
