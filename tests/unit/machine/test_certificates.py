"""Certificates of a run: only those who trust its authority trust the server."""

import os
import ssl

import pytest

from autostrada.errors import EngineError, UsageError
from autostrada.machine.certificates import (
    certificates_in,
    make_certificates,
    temporary_certificates,
)


@pytest.fixture(scope="module")
def certificates():
    with temporary_certificates() as made:
        yield made


def shake_hands(certificates, trusted):
    """Let a client and a server shake hands in memory; return the client's side."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.certificate_file, certificates.key_file)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(to_server, to_client, server_side=True)
    client = trusted.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    for side in (client, server, client, server):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return client


def test_a_client_that_does_not_trust_the_authority_rejects_the_server(certificates):
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(certificates, ssl.create_default_context())


def test_keys_are_readable_by_their_owner_only(certificates):
    for file in (certificates.key_file, certificates.ca_file.parent):
        assert not os.stat(file).st_mode & 0o077


def test_the_folder_is_removed_with_its_run():
    with temporary_certificates() as made:
        assert made.ca_file.exists()
    assert not made.ca_file.parent.exists()


def test_the_error_message_of_openssl_is_kept(monkeypatch, tmp_path):
    program = tmp_path / "openssl"
    program.write_text("#!/bin/sh\necho no entropy >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(EngineError, match="no entropy"), temporary_certificates():
        pass


def test_a_folder_is_created_and_can_be_reused(tmp_path):
    folder = tmp_path / "results" / "tls"
    for _ in range(2):
        made = make_certificates(folder)
    assert made == certificates_in(folder)
    trusted = ssl.create_default_context(cafile=made.ca_file)
    assert shake_hands(made, trusted).version() == "TLSv1.3"


def test_a_folder_that_cannot_be_created_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"cannot create folder .*choose another one"):
        make_certificates(tmp_path / "file" / "tls")
