"""Who plays in a trial: without a program, the engine."""

from pathlib import Path

from autostrada.runner.trial.cast import Cast, Program


def test_who_has_no_program_is_the_engine():
    assert (Cast().server, Cast().client) == (None, None)


def test_a_program_speaks_websocket_where_nothing_else_is_said():
    assert Program(words=["./client"], folder=Path()).protocol == "websocket"
