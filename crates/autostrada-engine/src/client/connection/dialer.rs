//! Where connections go, and how they get there.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use autostrada_net::tls::TlsStream;
use autostrada_net::{Registry, SocketOptions, Stream, Token, Transport};
use rustls::ClientConfig;

use super::wire::Wire;

/// Which of the sockets of a connection: only long-polling has a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Messages go out; by all protocols but one they also come.
    Main,
    /// Packets come, by long-polling.
    Polls,
}

impl Lane {
    /// What the poller calls a socket.
    #[must_use]
    pub fn token(self, connection: usize) -> Token {
        Token(connection << 1 | usize::from(self == Self::Polls))
    }

    /// The connection and its socket that the poller speaks of.
    #[must_use]
    pub fn of(token: Token) -> (usize, Self) {
        let lane = if token.0 & 1 == 0 {
            Self::Main
        } else {
            Self::Polls
        };
        (token.0 >> 1, lane)
    }
}

/// Where a client's connections go to.
#[derive(Debug, Clone)]
pub struct Target {
    /// The server.
    pub address: SocketAddr,
    /// Where connections come from, in turn; the system chooses where there are none.
    pub sources: Vec<IpAddr>,
    /// For encrypted connections: the configuration, and the name that the certificate must be for.
    pub tls: Option<(Arc<ClientConfig>, String)>,
    /// Of each socket.
    pub options: SocketOptions,
    /// Of the sockets of slow connections.
    pub slow_options: SocketOptions,
}

/// Begins connections, and has the poller report on them.
#[derive(Debug)]
pub struct Dialer<'a> {
    target: &'a Target,
    registry: Registry,
}

impl<'a> Dialer<'a> {
    /// To a target, for the poller of this registry.
    pub fn new(target: &'a Target, registry: Registry) -> Self {
        Self { target, registry }
    }

    /// Begins one.
    ///
    /// # Errors
    ///
    /// When there is no descriptor, port or route.
    pub fn dial(&self, connection: usize, lane: Lane, is_slow: bool) -> io::Result<Wire> {
        let sources = &self.target.sources;
        let source = connection
            .checked_rem(sources.len())
            .map(|turn| sources[turn]);
        let options = if is_slow {
            &self.target.slow_options
        } else {
            &self.target.options
        };
        let stream = Stream::connect(self.target.address, source, options)?;
        let mut transport = match &self.target.tls {
            None => Transport::Plain(stream),
            Some((config, name)) => {
                let tls = TlsStream::connect(stream, config, name).map_err(io::Error::other)?;
                Transport::Tls(Box::new(tls))
            }
        };
        transport.register(&self.registry, lane.token(connection))?;
        Ok(Wire::new(transport))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_a_connection_and_its_socket() {
        for lane in [Lane::Main, Lane::Polls] {
            for connection in [0, 1, 1_000_000] {
                assert_eq!(Lane::of(lane.token(connection)), (connection, lane));
            }
        }
    }
}
