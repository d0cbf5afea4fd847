"""TLS with OpenSSL as the server: negotiation, client certificates, resumption."""

from ssl import CERT_REQUIRED, TLSVersion

import pytest
from peers.engine import count, load
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
        self.negotiated = []
        self.resumed = 0

    async def __call__(self, connection):
        agreed = connection.transport.get_extra_info("ssl_object")
        self.negotiated.append((agreed.version(), agreed.cipher()[0]))
        self.resumed += agreed.session_reused
        await super().__call__(connection)


@pytest.fixture
def opened(certificates):
    """Return a function that opens connections: what the server saw, and the result."""

    def run(context, tls, workload=CONNECT, **settings):
        peer = TlsRecorder()
        tls = {"ca_file": str(certificates.ca_file)} | tls
        with websocket_peer(peer, ssl=context) as url:
            result = load(url=url, tls=tls, workload=workload, **settings)
        return peer, result

    return run


@pytest.mark.parametrize(("version", "suite", "name"), SUITES)
def test_the_version_of_the_server_and_the_planned_suite_are_negotiated(
    certificates, opened, version, suite, name
):
    context = certificates.server(**ONLY[version])
    peer, result = opened(context, {"cipher_suite": suite}, connections=3)
    assert (result["connections"], result["failures"]) == (3, [])
    assert peer.negotiated == [(f"TLSv{version}", name)] * 3
    found = result["tls"]
    assert (found["version"], found["resumed"]) == (version, 0)
    assert found["cipher_suite"].endswith(suite.removeprefix("TLS_"))
    assert count(result["connect_tls_time_ns"]) == 3
    assert result["connect_tls_resumed_time_ns"] == []


def test_a_server_that_asks_for_a_certificate_gets_one(certificates, opened):
    context = certificates.server()
    context.verify_mode = CERT_REQUIRED
    context.load_verify_locations(certificates.ca_file)
    peer, _ = opened(context, {})
    assert peer.connections == []
    own = {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }
    peer, result = opened(context, own)
    assert (len(peer.connections), result["failures"]) == (1, [])


RECONNECT = {
    "kind": "reconnect",
    "back_off": {"initial_ms": 10, "maximum_ms": 50},
    "phases": {"warm_up_s": 0.1, "window_s": 3.0},
}


@pytest.mark.parametrize("drop", ["close", "abort"])
@pytest.mark.parametrize("version", VERSIONS)
def test_sessions_are_resumed(certificates, opened, version, drop):
    context = certificates.server(**ONLY[version])
    workload = RECONNECT | {"drop": drop}
    peer, result = opened(context, {"resumption": True}, workload, connections=4)
    assert result["recovery"]["recovered"] == 4
    assert result["tls"]["resumed"] == peer.resumed > 0
    assert count(result["connect_tls_resumed_time_ns"]) == peer.resumed
    whole = len(peer.connections) - peer.resumed
    assert count(result["connect_tls_time_ns"]) == whole


def test_sessions_are_not_resumed_by_default(certificates, opened):
    peer, result = opened(certificates.server(), {}, RECONNECT, connections=4)
    assert result["recovery"]["recovered"] == 4
    assert result["tls"]["resumed"] == peer.resumed == 0
    assert count(result["connect_tls_time_ns"]) == len(peer.connections)
