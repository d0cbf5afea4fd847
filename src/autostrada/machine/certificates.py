"""Creates a local CA and a server certificate with OpenSSL."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import EngineError, UsageError
from autostrada.machine.executable import find_program
from autostrada.machine.network import SERVER_ADDRESS

DAYS = 30
"""Validity of certificates in days: longer than any run, but short."""

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
"""Options for P-256, which every library supports and whose signatures are fast."""

_NAMES = f"IP:127.0.0.1,IP:{SERVER_ADDRESS},DNS:localhost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificates:
    """Paths of the PEM files of a CA, which clients trust, and of a server."""

    ca_file: Path
    certificate_file: Path
    key_file: Path


@contextmanager
def temporary_certificates(*addresses: str) -> Iterator[Certificates]:
    """
    Create certificates for servers of trials, in a folder that is deleted on exit.

    The servers have these addresses too.

    Raises:
        UsageError: openssl is not installed.
        EngineError: openssl fails.
    """
    with tempfile.TemporaryDirectory(prefix="autostrada-tls-") as folder:
        yield make_certificates(Path(folder), *addresses)


def certificates_in(folder: Path) -> Certificates:
    """Return the paths of certificates in a folder, whether they exist or not."""
    return Certificates(
        ca_file=folder / "ca.pem",
        certificate_file=folder / "server.pem",
        key_file=folder / "server-key.pem",
    )


def make_certificates(folder: Path, *addresses: str) -> Certificates:
    """
    Create certificates for servers of trials in a folder, which is created if needed.

    Servers have the addresses of one machine, and these.

    Raises:
        UsageError: openssl is not installed, or the folder cannot be created.
        EngineError: openssl fails.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot create folder {folder}: {error.strerror}; choose another one"
        ) from error
    made = certificates_in(folder)
    names = [f"IP:{address}" for address in addresses]
    authority_key = folder / "ca-key.pem"
    _make("/CN=Autostrada's authority", authority_key, made.ca_file)
    _make(
        "/CN=Autostrada's server",
        made.key_file,
        made.certificate_file,
        *("-CA", str(made.ca_file), "-CAkey", str(authority_key)),
        *("-addext", f"subjectAltName={','.join((_NAMES, *names))}"),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
    )
    return made


def _make(subject: str, key: Path, certificate: Path, *options: str) -> None:
    """Create a key and its certificate, which is self-signed without ``-CA``."""
    arguments = [find_program("openssl"), "req", "-x509", "-days", str(DAYS), *_KEY]
    arguments += [
        "-subj",
        subject,
        "-keyout",
        str(key),
        "-out",
        str(certificate),
        *options,
    ]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise EngineError(f"openssl cannot create certificates: {ended.stderr.strip()}")
