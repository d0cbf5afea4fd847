//! The server's address, and the sockets that connect to it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use autostrada_net::tls::TlsStream;
use autostrada_net::{Endpoint, Listener, Registry, SocketOptions, Stream, Token, Transport};
use rustls::{ClientConfig, ServerConfig};

use super::wire::Wire;

/// The bit of a token that stands for the second socket of a connection, of long-polling.
const SECOND: usize = 1;

/// Returns the poller's token for a connection.
fn token_of(connection: usize) -> Token {
    Token(connection << 1)
}

/// Returns the connection that a token stands for.
pub fn connection_of(token: Token) -> usize {
    token.0 >> 1
}

/// Whether a token stands for the second socket of its connection.
pub(super) fn is_second(token: Token) -> bool {
    token.0 & SECOND != 0
}

/// Where a server waits for its connections.
#[derive(Debug)]
pub struct Accepting {
    /// The listening socket.
    pub listener: Listener,
    /// TLS configuration; `None` without TLS.
    pub tls: Option<Arc<ServerConfig>>,
}

/// The server that a client's connections are opened to, and the settings of their sockets.
#[derive(Debug, Clone)]
pub struct Target {
    /// The server, or the proxy.
    pub endpoint: Endpoint,
    /// Request to the proxy for a tunnel to the server; `None` without a proxy.
    pub tunnel: Option<Vec<u8>>,
    /// Source addresses, used in turn; if empty, the kernel chooses.
    pub sources: Vec<IpAddr>,
    /// TLS configuration and the name that the certificate must be valid for; `None` without TLS.
    pub tls: Option<(Arc<ClientConfig>, String)>,
    /// Options of the sockets of connections that are not slow.
    pub options: SocketOptions,
    /// Options of the sockets of slow connections.
    pub slow_options: SocketOptions,
}

/// Starts connections and registers their sockets with the poller.
#[derive(Debug)]
pub struct Dialer<'a> {
    target: &'a Target,
    registry: Registry,
}

impl<'a> Dialer<'a> {
    /// Creates a dialer for a target and the poller of this registry.
    pub fn new(target: &'a Target, registry: Registry) -> Self {
        Self { target, registry }
    }

    /// Accepts the next connection that waits, and registers it as this one; returns `None` if none
    /// waits.
    /// Returns an error if no descriptor is left, or TLS cannot be set up.
    pub fn accept(&self, accepting: &Accepting, connection: usize) -> io::Result<Option<Wire>> {
        let Some(stream) = accepting.listener.accept()? else {
            return Ok(None);
        };
        let mut transport = match &accepting.tls {
            None => Transport::Plain(stream),
            Some(config) => {
                let tls = TlsStream::accept(stream, config).map_err(io::Error::other)?;
                Transport::Tls(Box::new(tls))
            }
        };
        transport.register(&self.registry, token_of(connection))?;
        Ok(Some(Wire::accepted(transport)))
    }

    /// Starts connecting a connection, with the socket options of slow connections if `is_slow`.
    /// Returns an error if no descriptor, port or route is available, or TLS cannot be set up.
    pub fn dial(&self, connection: usize, is_slow: bool) -> io::Result<Wire> {
        let sources = &self.target.sources;
        let source = connection
            .checked_rem(sources.len())
            .map(|turn| sources[turn]);
        let options = if is_slow {
            &self.target.slow_options
        } else {
            &self.target.options
        };
        let stream = Stream::connect(&self.target.endpoint, source, options)?;
        let mut transport = match &self.target.tls {
            None => Transport::Plain(stream),
            Some((config, name)) => {
                let tls = TlsStream::connect(stream, config, name).map_err(io::Error::other)?;
                Transport::Tls(Box::new(tls))
            }
        };
        transport.register(&self.registry, token_of(connection))?;
        Ok(Wire::new(transport, self.target.tunnel.clone()))
    }

    /// Starts connecting the second socket of a connection.
    /// Returns an error for the reasons of `dial`.
    pub fn dial_second(&self, connection: usize) -> io::Result<Wire> {
        let mut wire = self.dial(connection, false)?;
        let token = Token(token_of(connection).0 | SECOND);
        wire.reregister(&self.registry, token)?;
        Ok(wire)
    }
}
