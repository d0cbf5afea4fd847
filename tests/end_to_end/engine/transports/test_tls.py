"""TLS with OpenSSL as the server: negotiation, refusal and session resumption."""

from ssl import CERT_REQUIRED, TLSVersion

import pytest
from peers.engine import count, failures, load
from peers.websocket import Echo, websocket_peer

CONNECT = {"kind": "connect", "phases": {"window_s": 0.2}}
VERSIONS = {"1.2": TLSVersion.TLSv1_2, "1.3": TLSVersion.TLSv1_3}
ONLY = {
    name: {"minimum": version, "maximum": version} for name, version in VERSIONS.items()
}
SUITES = [
    ("1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("1.2", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    ("1.3", "TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
    ("1.3", "TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
    ("1.3", "TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"),
]


class TlsRecorder(Echo):
    """Stores what was negotiated for each connection."""

    def __init__(self):
        super().__init__()
        self.suites = []
        self.versions = []
        self.resumed = 0

    async def __call__(self, connection):
        agreed = connection.transport.get_extra_info("ssl_object")
        self.suites.append(agreed.cipher()[0])
        self.versions.append(agreed.version())
        self.resumed += agreed.session_reused
        await super().__call__(connection)


def opened(context, tls, workload=None, **settings):
    """Open connections; return what the server saw, and the result."""
    peer = TlsRecorder()
    with websocket_peer(peer, ssl=context) as url:
        result = load(url=url, tls=tls, workload=workload or CONNECT, **settings)
    return peer, result


@pytest.mark.parametrize("version", VERSIONS)
def test_the_version_that_the_server_requires_is_negotiated(certificates, version):
    tls = {"ca_file": str(certificates.ca_file)}
    context = certificates.server(**ONLY[version])
    peer, result = opened(context, tls, connections=3)
    assert (result["connections"], result["failures"]) == (3, [])
    assert peer.versions == [f"TLSv{version}"] * 3
    assert result["tls"]["version"] == version
    assert result["tls"]["resumed"] == 0
    assert count(result["connect_tls_time_ns"]) == 3
    assert result["connect_tls_resumed_time_ns"] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_the_version_that_the_plan_requires_is_negotiated(certificates, version):
    tls = {"ca_file": str(certificates.ca_file), "version": version}
    peer, result = opened(certificates.server(), tls)
    assert result["failures"] == []
    assert peer.versions == [f"TLSv{version}"]


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_common_version_the_connection_fails(certificates, version):
    (other,) = set(VERSIONS) - {version}
    tls = {"ca_file": str(certificates.ca_file), "version": version}
    peer, result = opened(certificates.server(**ONLY[other]), tls, connections=2)
    assert failures(result) == {"tls": 2}
    assert (result["connections"], peer.connections) == (0, [])


@pytest.mark.parametrize(("version", "suite", "name"), SUITES)
def test_a_single_cipher_suite_can_be_chosen(certificates, version, suite, name):
    tls = {"ca_file": str(certificates.ca_file), "cipher_suite": suite}
    peer, result = opened(certificates.server(**ONLY[version]), tls)
    assert result["failures"] == []
    assert peer.suites == [name]
    short = suite.removeprefix("TLS_")
    assert result["tls"]["cipher_suite"].endswith(short)


def test_a_server_that_asks_for_a_certificate_gets_one(certificates):
    context = certificates.server()
    context.verify_mode = CERT_REQUIRED
    context.load_verify_locations(certificates.ca_file)
    tls = {"ca_file": str(certificates.ca_file)}
    peer, _ = opened(context, tls)
    assert peer.connections == []
    tls["certificate_file"] = str(certificates.certificate_file)
    tls["key_file"] = str(certificates.key_file)
    peer, result = opened(context, tls)
    assert (len(peer.connections), result["failures"]) == (1, [])


RECONNECT = {
    "kind": "reconnect",
    "back_off": {"initial_ms": 10, "maximum_ms": 50},
    "phases": {"warm_up_s": 0.1, "window_s": 3.0},
}


@pytest.mark.parametrize("drop", ["close", "abort"])
@pytest.mark.parametrize("version", VERSIONS)
def test_sessions_are_resumed(certificates, version, drop):
    tls = {"ca_file": str(certificates.ca_file), "resumption": True}
    context = certificates.server(**ONLY[version])
    workload = RECONNECT | {"drop": drop}
    peer, result = opened(context, tls, workload, connections=4)
    assert result["recovery"]["recovered"] == 4
    assert result["tls"]["resumed"] == peer.resumed > 0
    assert count(result["connect_tls_resumed_time_ns"]) == peer.resumed
    whole = len(peer.connections) - peer.resumed
    assert count(result["connect_tls_time_ns"]) == whole


def test_sessions_are_not_resumed_by_default(certificates):
    tls = {"ca_file": str(certificates.ca_file)}
    peer, result = opened(certificates.server(), tls, RECONNECT, connections=4)
    assert result["recovery"]["recovered"] == 4
    assert result["tls"]["resumed"] == peer.resumed == 0
    assert count(result["connect_tls_time_ns"]) == len(peer.connections)
