"""A certificate authority and its server certificates, created with OpenSSL."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


@dataclass(frozen=True)
class Certificates:
    """The files of an authority and of one server."""

    ca_file: Path
    certificate_file: Path
    key_file: Path

    def server(self, **versions):
        """Return a server's context; ``minimum`` and ``maximum`` limit the version."""
        context = limited(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), versions)
        context.load_cert_chain(self.certificate_file, self.key_file)
        return context

    def client(self, **versions):
        """Return the TLS context of a client that trusts the authority."""
        return limited(ssl.create_default_context(cafile=self.ca_file), versions)


def limited(context, versions):
    for name, version in versions.items():
        setattr(context, f"{name}_version", version)
    return context


def make_certificates(folder, *, names="IP:127.0.0.1,DNS:localhost"):
    """Create an authority, and a certificate for a server with these names."""
    authority, authority_key = folder / "ca.pem", folder / "ca-key.pem"
    certificate, key = folder / "server.pem", folder / "server-key.pem"
    openssl("-subj", "/CN=Authority", "-keyout", authority_key, "-out", authority)
    openssl(
        *("-CA", authority, "-CAkey", authority_key),
        *("-subj", "/CN=Server", "-keyout", key, "-out", certificate),
        *("-addext", f"subjectAltName={names}"),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
    )
    return Certificates(authority, certificate, key)


def openssl(*arguments):
    subprocess.run(
        ["openssl", "req", "-x509", "-days", "2", *KEY, *arguments],
        capture_output=True,
        check=True,
    )
