//! A socket on its way to carrying bytes: TCP, then TLS.

use std::io;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::{Registry, Token, Transfer, Transport, clock};

use super::Shared;
use crate::client::end::End;

/// How far a socket has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    Securing,
    Ready,
    /// Another is to take its place.
    GivenUp,
}

/// When a socket came how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The TCP connection was there already, or is not there yet.
    None,
    /// TCP is there.
    Connected(Nanos),
    /// TLS is there too, or not needed.
    Ready(Nanos),
}

/// A socket, and what the poller has said of it.
#[derive(Debug)]
pub struct Wire {
    transport: Transport,
    stage: Stage,
    is_writable: bool,
    has_peer_ended: bool,
    /// Whether it is to be read on without a word of the poller.
    has_more: bool,
}

impl Wire {
    /// A socket that is being connected.
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            stage: Stage::Connecting,
            is_writable: false,
            has_peer_ended: false,
            has_more: false,
        }
    }

    /// What carries the bytes.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Whether bytes may flow.
    pub fn is_ready(&self) -> bool {
        self.stage == Stage::Ready
    }

    /// Takes note of what the poller says.
    pub fn note(&mut self, is_writable: bool, has_peer_ended: bool) {
        self.is_writable |= is_writable;
        self.has_peer_ended |= has_peer_ended;
    }

    /// Whether the peer has ended the stream, or broken it.
    pub fn has_peer_ended(&self) -> bool {
        self.has_peer_ended
    }

    /// Whether the poller speaks again when there is more, after a call that could have read more
    /// than it did.
    pub fn is_read_up(&self) -> bool {
        !self.has_peer_ended && !self.transport.is_encrypted()
    }

    /// Takes note whether more is to be read; returns whether that was known.
    pub fn set_more(&mut self, has_more: bool) -> bool {
        std::mem::replace(&mut self.has_more, has_more)
    }

    /// Neither reads nor writes any longer.
    pub fn give_up(&mut self) {
        self.stage = Stage::GivenUp;
    }

    /// Whether another is to take its place.
    pub fn is_given_up(&self) -> bool {
        self.stage == Stage::GivenUp
    }

    /// Carries connecting on by one step; `None` while there is nothing new.
    pub fn advance(&mut self) -> Result<Progress, End> {
        match self.stage {
            Stage::Connecting if self.is_writable => {
                match self.transport.stream().connect_error() {
                    Ok(None) => {}
                    Ok(Some(error)) | Err(error) => {
                        return Err(End::failed(FailureKind::Connect, &error));
                    }
                }
                self.stage = Stage::Securing;
                Ok(Progress::Connected(clock::now()))
            }
            Stage::Securing => match self.transport.handshake() {
                Ok(true) => {
                    self.stage = Stage::Ready;
                    Ok(Progress::Ready(clock::now()))
                }
                Ok(false) => Ok(Progress::None),
                Err(error) => Err(End::failed(FailureKind::Tls, &error)),
            },
            Stage::Connecting | Stage::Ready | Stage::GivenUp => Ok(Progress::None),
        }
    }

    /// Reads once.
    #[inline]
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Transfer, End> {
        self.transport
            .read(buffer)
            .map_err(|error| End::failed(FailureKind::Read, &error))
    }

    /// Writes once; returns how many bytes were taken, 0 where there is no room.
    #[inline]
    pub fn write(&mut self, bytes: &[u8], shared: &mut Shared<'_>) -> Result<usize, End> {
        if !self.is_writable || self.stage != Stage::Ready {
            return Ok(0);
        }
        match self.transport.write(bytes) {
            Ok(Transfer::Bytes(moved)) => {
                shared.written_bytes += moved as u64;
                shared.write_calls += 1;
                Ok(moved)
            }
            Ok(Transfer::WouldBlock | Transfer::Ended) => {
                self.is_writable = false;
                Ok(0)
            }
            Err(error) => Err(End::failed(FailureKind::Write, &error)),
        }
    }

    /// Sends what TLS still holds back.
    #[inline]
    pub fn flush(&mut self) -> Result<(), End> {
        if self.is_writable && self.stage == Stage::Ready {
            self.is_writable = self
                .transport
                .flush()
                .map_err(|error| End::failed(FailureKind::Write, &error))?;
        }
        Ok(())
    }

    /// Has the poller speak of it by another name.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn rename(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.transport.reregister(registry, token)
    }

    /// Says that nothing more will be sent.
    pub fn end(&mut self) -> Result<(), End> {
        self.transport
            .shutdown_write()
            .map_err(|error| End::failed(FailureKind::Write, &error))
    }
}
