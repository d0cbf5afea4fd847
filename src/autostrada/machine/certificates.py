"""A certificate authority, and a server's certificate of it, by OpenSSL."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import EngineError, UsageError

DAYS = 30
"""How long certificates are valid: longer than any run, and useless soon after it."""

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
"""The curve that every library speaks, and whose signatures are the cheapest."""

_NAMES = "IP:127.0.0.1,DNS:localhost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificates:
    """Files (PEM) of an authority, which clients trust, and of one server."""

    ca_file: Path
    certificate_file: Path
    key_file: Path


@contextmanager
def temporary_certificates() -> Iterator[Certificates]:
    """
    Make certificates for servers on loopback, in a folder that goes with the block.

    Raises:
        UsageError: openssl is not there.
        EngineError: openssl fails.
    """
    with tempfile.TemporaryDirectory(prefix="autostrada-tls-") as folder:
        yield make_certificates(Path(folder))


def find_openssl() -> str:
    """
    Return where the program is that makes certificates.

    Raises:
        UsageError: it is not there.
    """
    found = shutil.which("openssl")
    if found is None:
        raise UsageError("openssl is missing: apt install openssl")
    return found


def certificates_in(folder: Path) -> Certificates:
    """Return where in a folder certificates are, or are to be made."""
    return Certificates(
        ca_file=folder / "ca.pem",
        certificate_file=folder / "server.pem",
        key_file=folder / "server-key.pem",
    )


def make_certificates(folder: Path) -> Certificates:
    """
    Make certificates for servers on loopback, in a folder that is there afterwards.

    Raises:
        UsageError: openssl is not there, or the folder cannot be made.
        EngineError: openssl fails.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make folder {folder}: {error.strerror}; name another one"
        ) from error
    made = certificates_in(folder)
    authority_key = folder / "ca-key.pem"
    _make("/CN=Autostrada's authority", authority_key, made.ca_file)
    _make(
        "/CN=Autostrada's server",
        made.key_file,
        made.certificate_file,
        *("-CA", str(made.ca_file), "-CAkey", str(authority_key)),
        *("-addext", f"subjectAltName={_NAMES}"),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
    )
    return made


def _make(subject: str, key: Path, certificate: Path, *options: str) -> None:
    """Make a key and its certificate; without a ``-CA``, it signs itself."""
    words = [find_openssl(), "req", "-x509", "-days", str(DAYS), *_KEY]
    words += ["-subj", subject, "-keyout", str(key), "-out", str(certificate), *options]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise EngineError(f"openssl cannot make certificates: {ended.stderr.strip()}")
