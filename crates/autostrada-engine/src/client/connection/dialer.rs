//! The server's address, and the sockets that connect to it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use autostrada_net::tls::TlsStream;
use autostrada_net::{Endpoint, Listener, Registry, SocketOptions, Stream, Token, Transport};
use rustls::{ClientConfig, ServerConfig};

use super::wire::Wire;

/// One of the sockets of a connection. Only long-polling has a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketRole {
    /// The socket that sends messages and, except with long-polling, receives them.
    Main,
    /// The socket that receives packets with long-polling.
    Polls,
}

impl SocketRole {
    /// Returns the poller's token for this socket of a connection.
    pub fn token(self, connection: usize) -> Token {
        Token(connection << 1 | usize::from(self == Self::Polls))
    }

    /// Returns the connection and the socket that a token stands for.
    pub fn of(token: Token) -> (usize, Self) {
        let role = if token.0 & 1 == 0 {
            Self::Main
        } else {
            Self::Polls
        };
        (token.0 >> 1, role)
    }
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
        transport.register(&self.registry, SocketRole::Main.token(connection))?;
        Ok(Some(Wire::accepted(transport)))
    }

    /// Starts connecting one socket of a connection, with the socket options of slow connections if
    /// `is_slow`.
    /// Returns an error if no descriptor, port or route is available, or TLS cannot be set up.
    pub fn dial(&self, connection: usize, role: SocketRole, is_slow: bool) -> io::Result<Wire> {
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
        transport.register(&self.registry, role.token(connection))?;
        Ok(Wire::new(transport, self.target.tunnel.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_a_connection_and_its_socket() {
        for role in [SocketRole::Main, SocketRole::Polls] {
            for connection in [0, 1, 1_000_000] {
                assert_eq!(SocketRole::of(role.token(connection)), (connection, role));
            }
        }
    }
}
