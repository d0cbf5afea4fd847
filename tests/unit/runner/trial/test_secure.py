"""What both ends are told of TLS: nothing without it, else of the certificates."""

from pathlib import Path

import pytest

from autostrada.errors import EngineError
from autostrada.machine.certificates import Certificates
from autostrada.machine.host import this_host
from autostrada.plan.experiment import parse_experiment
from autostrada.runner.trial.cast import Course
from autostrada.runner.trial.secure import tls_of_client, tls_of_server, tls_variables

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
    """,
    origin="hold.toml",
)
PLAIN, SECURE, SUITE = EXPERIMENT.workload
MADE = Certificates(
    ca_file=Path("/run/ca.pem"),
    certificate_file=Path("/run/server.pem"),
    key_file=Path("/run/server-key.pem"),
)


def course(certificates):
    return Course(
        experiment=EXPERIMENT,
        engine=Path("engine"),
        host=this_host(),
        certificates=certificates,
    )


@pytest.mark.parametrize("said", [tls_of_server, tls_of_client, tls_variables])
def test_without_tls_nothing_is_said_of_it(said):
    assert said(PLAIN, course(None)) == said(PLAIN, course(MADE)) == {}


@pytest.mark.parametrize("said", [tls_of_server, tls_of_client, tls_variables])
def test_with_tls_there_must_be_certificates(said):
    with pytest.raises(EngineError, match="no certificates"):
        said(SECURE, course(None))


def test_a_server_is_told_of_its_certificate_and_key():
    files = {"certificate_file": "/run/server.pem", "key_file": "/run/server-key.pem"}
    assert tls_of_server(SECURE, course(MADE)) == {"tls": files}
    variables = tls_variables(SECURE, course(MADE))
    assert variables == {
        "TLS_CERT": files["certificate_file"],
        "TLS_KEY": files["key_file"],
    }


def test_a_client_is_told_whom_to_trust_and_what_to_offer():
    trusted = {"ca_file": "/run/ca.pem"}
    assert tls_of_client(SECURE, course(MADE)) == {"tls": trusted}
    offered = trusted | {"cipher_suite": "TLS_AES_128_GCM_SHA256"}
    assert tls_of_client(SUITE, course(MADE)) == {"tls": offered}
