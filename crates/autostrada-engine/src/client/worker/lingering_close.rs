//! Sockets of connections that the peer has closed, or that were closed because of what it did.
//!
//! Whoever closes a socket before it has read everything has the kernel reset the connection, and
//! then the peer may never read why. So what still comes is read and forgotten, and it is the server
//! that ends the stream, unless it takes too long: RFC 6455, section 7.1.1.

use std::collections::VecDeque;
use std::io;

use autostrada_measure::Nanos;
use autostrada_net::{Registry, Token, Transfer};

use crate::client::connection::Wire;

/// What the poller calls all of them.
pub const LINGERING_CLOSE: Token = Token(usize::MAX - 1);

/// So many a thread keeps; before another comes the oldest is closed.
const LINGERING_MAX: usize = 32;

/// How long each may take.
const LINGERING_NS: Nanos = 1_000_000_000;

/// Who sends more than this does not want to know why it was refused.
const FORGOTTEN_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug)]
struct Leaving {
    wire: Wire,
    until: Nanos,
    forgotten_bytes: usize,
}

impl Leaving {
    /// Reads what there is; returns whether there is nothing to wait for.
    fn is_over(&mut self, buffer: &mut [u8]) -> bool {
        loop {
            match self.wire.read(buffer) {
                Ok(Transfer::Bytes(bytes)) => self.forgotten_bytes += bytes,
                Ok(Transfer::WouldBlock) => return false,
                Ok(Transfer::Ended) | Err(_) => return true,
            }
            if self.forgotten_bytes > FORGOTTEN_BYTES_MAX {
                return true;
            }
        }
    }
}

/// The sockets of a thread whose peers have still to end their streams, the oldest first.
#[derive(Debug, Default)]
pub struct LingeringClose {
    leaving: VecDeque<Leaving>,
}

impl LingeringClose {
    /// Waits for the peer to end the stream of a socket on which all is said.
    ///
    /// # Errors
    ///
    /// When the operating system refuses: it is closed.
    pub fn add(
        &mut self,
        mut wire: Wire,
        registry: &Registry,
        buffer: &mut [u8],
        now: Nanos,
    ) -> io::Result<()> {
        wire.rename(registry, LINGERING_CLOSE)?;
        let mut leaving = Leaving {
            wire,
            until: now + LINGERING_NS,
            forgotten_bytes: 0,
        };
        if leaving.is_over(buffer) {
            return Ok(());
        }
        if self.leaving.len() == LINGERING_MAX {
            self.leaving.pop_front();
        }
        self.leaving.push_back(leaving);
        Ok(())
    }

    /// Reads what has come, and closes those that are over.
    pub fn read_on(&mut self, buffer: &mut [u8], now: Nanos) {
        self.leaving
            .retain_mut(|leaving| now < leaving.until && !leaving.is_over(buffer));
    }

    /// When the oldest is closed at the latest.
    pub fn next_at(&self) -> Option<Nanos> {
        self.leaving.front().map(|leaving| leaving.until)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaving.is_empty()
    }
}
