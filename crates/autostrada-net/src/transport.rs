//! A byte stream, plain or encrypted: the same calls for both.

use std::io;

use mio::{Registry, Token};

use crate::tcp::{Stream, Transfer};
use crate::tls::TlsStream;

/// What carries the bytes of a connection.
#[derive(Debug)]
pub enum Transport {
    /// TCP.
    Plain(Stream),
    /// TLS over TCP. Boxed, as plain connections are to stay small.
    Tls(Box<TlsStream>),
}

impl Transport {
    /// Reads once into `buffer`.
    ///
    /// # Errors
    ///
    /// When the connection was reset, or the peer broke TLS.
    #[inline]
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Transfer> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }

    /// Writes once from `bytes`, which must not be empty.
    ///
    /// # Errors
    ///
    /// When the connection was reset.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<Transfer> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    /// Carries the TLS handshake on; returns whether bytes of the application may flow.
    ///
    /// # Errors
    ///
    /// When the handshake fails: the certificate, say.
    pub fn handshake(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Tls(stream) => stream.handshake(),
        }
    }

    /// Sends what TLS still holds back; returns whether nothing is left.
    ///
    /// # Errors
    ///
    /// When the connection was reset.
    pub fn flush(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Tls(stream) => stream.flush(),
        }
    }

    /// Says to the peer that nothing more will be sent.
    ///
    /// # Errors
    ///
    /// When the connection is gone already.
    pub fn shutdown_write(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.shutdown_write(),
            Self::Tls(stream) => stream.shutdown_write(),
        }
    }

    /// Whether it is TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// The socket below.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.stream(),
        }
    }

    /// Has `registry` report when it can be read or written, as `token`, once per change.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.register(registry, token),
            Self::Tls(stream) => stream.stream_mut().register(registry, token),
        }
    }

    /// Has `registry` report it as another `token` from here on.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn reregister(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.reregister(registry, token),
            Self::Tls(stream) => stream.stream_mut().reregister(registry, token),
        }
    }
}
