"""Reads the environment variables of a server: contract, section 4."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .variables import SettingsError, read, read_choice, read_count, read_or_exit

if TYPE_CHECKING:
    from .variables import Environment

PORT_MAX = 65_535


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSettings:
    """Settings of a server."""

    host: str
    port: int
    tls_cert: str | None = None
    tls_key: str | None = None
    deflate: bool = False
    message_bytes_max: ClassVar[int] = 16 * 1024 * 1024
    """Longest message that a program must accept, whatever its library's default."""

    @classmethod
    def from_environment(cls) -> ServerSettings:
        """Read the environment variables; exit with status 2 if one is wrong."""
        return read_or_exit(cls.read)

    @classmethod
    def read(cls, environment: Environment) -> ServerSettings:
        """Read a server's variables; raise a SettingsError that names a wrong one."""
        port = read_count(environment, "PORT")
        if port > PORT_MAX:
            raise SettingsError(f"PORT must be at most {PORT_MAX}, not {port}")
        if "TLS_KEY" in environment:
            read(environment, "TLS_CERT")
        settings = cls(
            host=read(environment, "HOST", "127.0.0.1"),
            port=port,
            tls_cert=environment.get("TLS_CERT"),
            tls_key=environment.get("TLS_KEY"),
            deflate=bool(read_choice(environment, "COMPRESSION", ("", "deflate"))),
        )
        settings.check_tls()
        return settings

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the TLS context of the certificate and key; None without TLS."""
        if self.tls_cert is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.tls_cert, self.tls_key)
        return context

    def check_tls(self) -> None:
        """Raise a SettingsError if the certificate or the key cannot be read."""
        try:
            self.tls_context()
        except OSError as error:
            reason = f"TLS_CERT and TLS_KEY must be a certificate and its key: {error}"
            raise SettingsError(reason) from error
