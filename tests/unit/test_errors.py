"""The error tree is drawn in full, and every kind of failure has a name of its own."""

from autostrada import errors
from autostrada.errors import AutostradaError, ContestantError


def subclasses(kind):
    direct = kind.__subclasses__()
    return direct + [each for child in direct for each in subclasses(child)]


def test_the_docstring_draws_every_error():
    for kind in subclasses(AutostradaError):
        assert f"─ {kind.__name__} " in errors.__doc__


def test_every_failure_has_a_kind_of_its_own():
    kinds = [kind.kind for kind in subclasses(ContestantError)]
    assert len(set(kinds)) == len(kinds)
    assert ContestantError.kind not in kinds


def test_a_failure_keeps_the_end_of_stderr():
    error = errors.Crashed("exited with 3", stderr_tail="boom")
    assert (str(error), error.stderr_tail) == ("exited with 3", "boom")
