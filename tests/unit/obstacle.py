"""Tests of what this machine may refuse."""

import pytest

from autostrada.errors import UsageError


def needs(create):
    """Return a mark: skip, with the reason, where a context cannot be created."""
    try:
        with create():
            reason = ""
    except UsageError as error:
        reason = str(error)
    return pytest.mark.skipif(bool(reason), reason=reason or "-")
