"""What a trial of a feed speaks; trials themselves are in tests/end_to_end."""

from pathlib import Path

import pytest

from autostrada.runner.trial.cast import Cast, Program
from autostrada.runner.trial.feed.feed import protocol_of

SOCKET_IO = Program(words=["./program"], folder=Path(), protocol="socketio")


@pytest.mark.parametrize(
    ("cast", "protocol"),
    [
        (Cast(), "websocket"),
        (Cast(server=SOCKET_IO), "socketio"),
        (Cast(client=SOCKET_IO), "socketio"),
        (Cast(server=SOCKET_IO, client=SOCKET_IO), "socketio"),
    ],
)
def test_the_engine_speaks_what_the_other_end_does(cast, protocol):
    assert protocol_of(cast) == protocol
