"""The kinds of failure: each has its own name, and keeps its cause."""

import pytest

from autostrada.errors import ContestantError

KINDS = ContestantError.__subclasses__()


def test_each_kind_has_its_own_name():
    names = [kind.kind for kind in KINDS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_kind_is_named_after_its_class(kind):
    assert kind.kind.replace(" ", "") == kind.__name__.lower()
