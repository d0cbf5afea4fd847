"""Certificates of an authority and a server, with the TLS contexts of peers."""

import ssl
from dataclasses import asdict

from autostrada.machine import certificates


class Certificates(certificates.Certificates):
    """The files of an authority and of one server."""

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


def make_certificates(folder, *addresses):
    """Create an authority, and a certificate for a server with these addresses too."""
    made = certificates.make_certificates(folder, *addresses)
    return Certificates(**asdict(made))
