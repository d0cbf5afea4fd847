"""Reads the environment variables of a server: contract, section 4."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, ClassVar

from .variables import SettingsError, read, read_choice, read_count, read_or_exit

if TYPE_CHECKING:
    from .variables import Environment


class ServerSettings:
    """Settings of a server."""

    message_bytes_max: ClassVar[int] = 16 * 1024 * 1024
    """Longest message that a program must accept, whatever its library's default."""

    def __init__(self, environment: Environment) -> None:
        """Read a server's variables; raise a SettingsError that names a wrong one."""
        self.host = read(environment, "HOST", "127.0.0.1")
        self.port = read_count(environment, "PORT", maximum=65_535)
        self.deflate = bool(read_choice(environment, "COMPRESSION", ("", "deflate")))
        if "TLS_KEY" in environment:
            read(environment, "TLS_CERT")
        self.tls_cert = environment.get("TLS_CERT")
        self.tls_key = environment.get("TLS_KEY")
        try:
            self.tls_context()
        except OSError as error:
            reason = f"TLS_CERT and TLS_KEY must be a certificate and its key: {error}"
            raise SettingsError(reason) from error

    @classmethod
    def from_environment(cls) -> ServerSettings:
        """Read the environment variables; exit with status 2 if one is wrong."""
        return read_or_exit(cls)

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the TLS context of the certificate and key; None without TLS."""
        if self.tls_cert is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.tls_cert, self.tls_key)
        return context
