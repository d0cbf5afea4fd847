//! Accepting of connections, which a thread does while it holds the accept token.

use anyhow::Context;
use autostrada_net::tls::TlsStream;
use autostrada_net::{Stream, Token, Transport, limits};

use super::{LISTENER, Worker};
use crate::server::accept_token::Passed;
use crate::server::connection::Connection;
use crate::server::protocol::Protocol;

/// Maximum number of connections that a thread accepts before it passes the token.
const TURN_MAX: usize = 512;

/// A thread accepts its number of open connections divided by this in one turn.
const TURN_PART: usize = 32;

impl Worker {
    /// Begins to accept if this thread holds the token.
    pub(super) fn take_accept_token(&mut self) -> anyhow::Result<()> {
        if self.accepts.is_some() || !self.shared.accept_token.is_held_by(self.number) {
            return Ok(());
        }
        let registry = self.poll.registry();
        self.listener
            .register(registry, LISTENER)
            .context("cannot wait for connections")?;
        self.accepts = Some(self.turn());
        self.accept()
    }

    /// Returns the number of connections to accept in one turn.
    ///
    /// It grows with the number of open connections, so that all threads have about as many whether
    /// connections are few or many.
    fn turn(&self) -> usize {
        let held = self.connections.len() - self.free.len();
        (held / TURN_PART).clamp(1, TURN_MAX)
    }

    /// Accepts waiting connections until the turn is over.
    pub(super) fn accept(&mut self) -> anyhow::Result<()> {
        while let Some(left) = self.accepts {
            if left == 0 {
                self.pass_accept_token(false)?;
                continue;
            }
            match self.listener.accept() {
                Ok(Some(stream)) => {
                    self.accepts = Some(left - 1);
                    self.admit(stream)?;
                }
                Ok(None) => return Ok(()),
                // Waiting connections are accepted after another one has ended.
                Err(error) if limits::is_out_of_descriptors(&error) => {
                    if !self.is_full {
                        crate::log(&format!(
                            "further connections wait until another one ends: {error}"
                        ));
                    }
                    self.is_full = true;
                    self.pass_accept_token(true)?;
                }
                Err(error) => return Err(error).context("cannot accept"),
            }
        }
        Ok(())
    }

    fn pass_accept_token(&mut self, is_full: bool) -> anyhow::Result<()> {
        let passed = self.shared.accept_token.pass(self.number, is_full);
        if passed == Passed::Kept {
            self.accepts = Some(self.turn());
            return Ok(());
        }
        self.accepts = None;
        let registry = self.poll.registry();
        self.listener
            .deregister(registry)
            .context("cannot stop waiting for connections")?;
        match passed {
            Passed::To(next) => self.wake(next),
            Passed::Kept | Passed::Unheld => Ok(()),
        }
    }

    fn admit(&mut self, mut stream: Stream) -> anyhow::Result<()> {
        let index = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        stream.register(self.poll.registry(), Token(index))?;
        if let Some(observer) = &self.shared.observer {
            observer.report(&stream);
        }
        let transport = match &self.shared.tls {
            None => Transport::Plain(stream),
            Some(config) => Transport::Tls(Box::new(TlsStream::accept(stream, config)?)),
        };
        let protocol = Protocol::new(&self.resources.encoders.handshake);
        self.serial = self.serial.wrapping_add(1);
        let connection = Connection::new(transport, protocol, self.serial);
        self.connections[index] = Some(Box::new(connection));
        self.shared.counters.connect();
        Ok(())
    }

    /// Reports that this thread has a free descriptor again, if it had none.
    pub(super) fn report_free_descriptor(&mut self) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_full) {
            self.shared.accept_token.record_free_descriptor(self.number);
            self.take_accept_token()?;
        }
        Ok(())
    }
}
