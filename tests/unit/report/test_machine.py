"""Notes about a machine that cannot separate the ends."""

import pytest

from autostrada.report.circumstances import machine_note


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ({}, ""),
        ({"is_shared_core": "false", "is_pinned": "true"}, ""),
        ({"is_shared_core": "true"}, "shared a core"),
        ({"is_pinned": "false"}, "were not pinned to cores"),
    ],
)
def test_a_machine_that_cannot_separate_the_ends_is_marked(fact, text):
    note = machine_note({"cores": 2, **fact})
    assert text in note
    assert bool(note) == bool(text)
