"""What is said of a machine that cannot keep the ends apart."""

import pytest

from autostrada.report.circumstances import machine_note


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ({}, ""),
        ({"is_shared_core": "false", "is_pinned": "true"}, ""),
        ({"is_shared_core": "true"}, "shared a core"),
        ({"is_pinned": "false"}, "were not pinned to cores"),
    ],
)
def test_a_machine_that_cannot_keep_the_ends_apart_is_marked(fact, words):
    note = machine_note({"cores": 2, **fact})
    assert words in note
    assert bool(note) == bool(words)
