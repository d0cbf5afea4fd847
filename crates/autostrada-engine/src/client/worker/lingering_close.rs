//! Sockets whose peer sent a closing frame, or violated the protocol, and has not ended its stream.
//!
//! If a socket is closed while it has unread bytes, the kernel resets the connection, and the peer
//! may never read the closing frame. Further bytes are therefore read and discarded until the
//! server ends the stream or a time limit is reached: RFC 6455, section 7.1.1.

use std::collections::VecDeque;
use std::io;

use autostrada_measure::Nanos;
use autostrada_net::{Registry, Token, Transfer};

use crate::client::connection::Wire;

/// The poller's token for all these sockets.
pub const LINGERING_CLOSE: Token = Token(usize::MAX - 1);

/// Maximum number of these sockets per thread; a further one replaces the oldest.
const LINGERING_MAX: usize = 32;

/// Time limit for the peer to end its stream.
const LINGERING_NS: Nanos = 1_000_000_000;

/// Maximum number of bytes to discard before the socket is closed.
const DISCARDED_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug)]
struct LingeringSocket {
    wire: Wire,
    until: Nanos,
    discarded_bytes: usize,
}

impl LingeringSocket {
    /// Reads and discards available bytes; returns whether the socket can be closed.
    fn is_over(&mut self, buffer: &mut [u8]) -> bool {
        loop {
            match self.wire.read(buffer) {
                Ok(Transfer::Bytes(bytes)) => self.discarded_bytes += bytes,
                Ok(Transfer::WouldBlock) => return false,
                Ok(Transfer::Ended) | Err(_) => return true,
            }
            if self.discarded_bytes > DISCARDED_BYTES_MAX {
                return true;
            }
        }
    }
}

/// The sockets of a thread whose peers have not ended their streams, oldest first.
#[derive(Debug, Default)]
pub struct LingeringClose {
    sockets: VecDeque<LingeringSocket>,
}

impl LingeringClose {
    /// Adds a socket, unless its peer has already ended the stream.
    /// Returns an error, and closes the socket, if the operating system refuses to register it.
    pub fn add(
        &mut self,
        mut wire: Wire,
        registry: &Registry,
        buffer: &mut [u8],
        now: Nanos,
    ) -> io::Result<()> {
        wire.reregister(registry, LINGERING_CLOSE)?;
        let mut socket = LingeringSocket {
            wire,
            until: now + LINGERING_NS,
            discarded_bytes: 0,
        };
        if socket.is_over(buffer) {
            return Ok(());
        }
        if self.sockets.len() == LINGERING_MAX {
            self.sockets.pop_front();
        }
        self.sockets.push_back(socket);
        Ok(())
    }

    /// Discards received bytes and closes the sockets that are complete or reached their limit.
    pub fn discard_received(&mut self, buffer: &mut [u8], now: Nanos) {
        self.sockets
            .retain_mut(|socket| now < socket.until && !socket.is_over(buffer));
    }

    /// Returns the time limit of the oldest socket, or `None` if there is none.
    pub fn next_at(&self) -> Option<Nanos> {
        self.sockets.front().map(|socket| socket.until)
    }

    /// Whether there are no such sockets.
    pub fn is_empty(&self) -> bool {
        self.sockets.is_empty()
    }
}
