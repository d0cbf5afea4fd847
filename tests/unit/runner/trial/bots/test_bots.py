"""Who speaks what in a trial of bots; tests/end_to_end/test_bots.py has whole ones."""

from pathlib import Path

import pytest

from autostrada.plan.workload import Bots
from autostrada.runner.trial.bots.bots import protocol_of
from autostrada.runner.trial.cast import Cast, Program


def program(protocol):
    return Program(words=["server"], folder=Path(), protocol=protocol)


@pytest.mark.parametrize(
    ("cast", "transport", "protocol"),
    [
        (Cast(), "websocket", "websocket"),
        (Cast(), "polling", "socketio"),
        (Cast(server=program("framed-tcp")), "websocket", "framed-tcp"),
        (Cast(client=program("socketio")), "websocket", "socketio"),
        (Cast(server=program("websocket")), "polling", "websocket"),
    ],
)
def test_the_engine_speaks_what_the_other_end_does(cast, transport, protocol):
    workload = Bots(name="bots", kind="bots", window_s=1, transport=transport)
    assert protocol_of(workload, cast) == protocol
