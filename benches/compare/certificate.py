"""The certificates of servers for TLS, as parts of the engine's plans."""

from pathlib import Path

from autostrada.machine.certificates import certificates_in, make_certificates

FILES = certificates_in(Path(".build/bench").absolute())
SERVER_TLS = {
    "certificate_file": str(FILES.certificate_file),
    "key_file": str(FILES.key_file),
}
CLIENT_TLS = {"ca_file": str(FILES.ca_file), "version": "1.3"}


def renew_certificates() -> None:
    """
    Create the certificates, which are valid for some days.

    Raises:
        AutostradaError: openssl is missing, or fails.
    """
    make_certificates(FILES.ca_file.parent)
