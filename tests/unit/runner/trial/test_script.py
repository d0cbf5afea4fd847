"""What both ends are told, and what of it is said of TLS."""

from pathlib import Path

import pytest

from autostrada.errors import EngineError
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.certificates import Certificates
from autostrada.runner.trial.cast import Cast, Program
from autostrada.runner.trial.script import Script, protocol_of

EXPERIMENT = parse_experiment(
    """
    title = "Hold"
    question = "How many?"
    repetitions = 1
    warm_ups = 0
    limit_s = 60

    [[workload]]
    name = "plain"
    kind = "feed"
    feed = "clock"
    seconds = 1

    [[workload]]
    name = "secure"
    kind = "feed"
    feed = "clock"
    seconds = 1
    tls = true

    [[workload]]
    name = "suite"
    kind = "feed"
    feed = "clock"
    seconds = 1
    tls = true
    cipher_suite = "TLS_AES_128_GCM_SHA256"

    [[workload]]
    name = "bots"
    kind = "bots"
    window_s = 1

    [[workload]]
    name = "secure-bots"
    kind = "bots"
    window_s = 1
    tls = true
    """,
    origin="hold.toml",
)
PLAIN, SECURE, SUITE, BOTS, SECURE_BOTS = EXPERIMENT.workload
MADE = Certificates(
    ca_file=Path("/run/ca.pem"),
    certificate_file=Path("/run/server.pem"),
    key_file=Path("/run/server-key.pem"),
)
PORT = 8008


def script(workload, certificates):
    return Script(
        experiment=EXPERIMENT,
        workload=workload,
        protocol="websocket",
        certificates=certificates,
    )


@pytest.mark.parametrize("plain", [PLAIN, BOTS], ids=lambda each: each.name)
def test_without_tls_nothing_is_said_of_it(plain):
    told, other = script(plain, None), script(plain, MADE)
    assert told.server_plan(PORT) == other.server_plan(PORT)
    assert told.client_plan(PORT) == other.client_plan(PORT)
    assert "tls" not in told.server_plan(PORT) | told.client_plan(PORT)
    assert "TLS_CERT" not in told.server_environment(PORT)
    assert told.client_plan(PORT)["url"].startswith("ws://127.0.0.1:8008/")


@pytest.mark.parametrize(
    "say", [Script.server_plan, Script.server_environment, Script.client_plan]
)
def test_with_tls_there_must_be_certificates(say):
    with pytest.raises(EngineError, match="no certificates"):
        say(script(SECURE, None), PORT)


@pytest.mark.parametrize("secure", [SECURE, SECURE_BOTS], ids=lambda each: each.name)
def test_a_server_is_told_of_its_certificate_and_key(secure):
    files = {"certificate_file": "/run/server.pem", "key_file": "/run/server-key.pem"}
    told = script(secure, MADE)
    assert told.server_plan(PORT)["tls"] == files
    variables = told.server_environment(PORT)
    assert variables["TLS_CERT"] == files["certificate_file"]
    assert variables["TLS_KEY"] == files["key_file"]
    assert variables["PORT"] == str(PORT)


@pytest.mark.parametrize("secure", [SECURE, SECURE_BOTS], ids=lambda each: each.name)
def test_a_client_is_told_whom_to_trust(secure):
    told = script(secure, MADE).client_plan(PORT)
    assert told["url"].startswith("wss://127.0.0.1:8008/")
    assert told["tls"] == {"ca_file": "/run/ca.pem"}


def test_a_client_is_told_what_to_offer():
    offered = {"ca_file": "/run/ca.pem", "cipher_suite": "TLS_AES_128_GCM_SHA256"}
    assert script(SUITE, MADE).client_plan(PORT)["tls"] == offered


def test_a_contestant_is_told_what_to_play():
    told = script(PLAIN, None).client_environment(PORT)
    assert told["WORKLOAD"] == "receive"
    assert told["URL"].startswith("ws://127.0.0.1:8008/")


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
    workload = BOTS.model_copy(update={"transport": transport})
    assert protocol_of(workload, cast) == protocol
    if transport == "websocket":
        assert protocol_of(PLAIN, cast) == protocol
