//! A socket of a connection: connecting, TLS handshake, reading and writing.

use std::io;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::{Registry, Stream, Token, Transfer, Transport, clock};

use super::Shared;
use super::tunnel::Tunnel;
use crate::client::end::End;

/// The state of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    Tunneling,
    Securing,
    Ready,
}

/// A step of establishing a connection, and its instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing has changed.
    None,
    /// The TCP connection is established.
    Connected(Nanos),
    /// The tunnel through a proxy is open and the TLS handshake complete, if they are used.
    Ready(Nanos),
}

/// A socket, and the readiness that the poller has reported.
#[derive(Debug)]
pub struct Wire {
    transport: Transport,
    stage: Stage,
    /// The tunnel through a proxy; `None` once it is open, or without a proxy.
    tunnel: Option<Box<Tunnel>>,
    is_writable: bool,
    has_peer_ended: bool,
    /// Whether to read again without waiting for the poller.
    has_more: bool,
}

impl Wire {
    /// Wraps a socket that is being connected; `tunnel` is the request to a proxy.
    pub fn new(transport: Transport, tunnel: Option<Vec<u8>>) -> Self {
        Self {
            transport,
            stage: Stage::Connecting,
            tunnel: tunnel.map(|request| Box::new(Tunnel::new(request))),
            is_writable: false,
            has_peer_ended: false,
            has_more: false,
        }
    }

    /// Wraps a socket that was accepted.
    pub fn accepted(transport: Transport) -> Self {
        Self {
            stage: Stage::Securing,
            ..Self::new(transport, None)
        }
    }

    /// Returns the TCP or TLS stream.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Whether the socket can be read from and written to.
    pub fn is_ready(&self) -> bool {
        self.stage == Stage::Ready
    }

    /// Records the readiness that the poller reports.
    pub fn note(&mut self, is_writable: bool, has_peer_ended: bool) {
        self.is_writable |= is_writable;
        self.has_peer_ended |= has_peer_ended;
    }

    /// Whether the peer has ended or reset the stream.
    pub fn has_peer_ended(&self) -> bool {
        self.has_peer_ended
    }

    /// Whether a read that did not fill its buffer has read everything, so that the poller reports
    /// further bytes.
    pub fn has_read_all(&self) -> bool {
        !self.has_peer_ended && !self.transport.is_encrypted()
    }

    /// Sets whether more is to be read; returns the previous value.
    pub fn set_has_more(&mut self, has_more: bool) -> bool {
        std::mem::replace(&mut self.has_more, has_more)
    }

    /// Performs the next step of connecting; returns [`Progress::None`] if nothing has changed.
    pub fn advance(&mut self) -> Result<Progress, End> {
        match self.stage {
            Stage::Connecting if self.is_writable => {
                match self.transport.stream().connect_error() {
                    Ok(None) => {}
                    Ok(Some(error)) | Err(error) => {
                        return Err(End::failed(FailureKind::Connect, &error));
                    }
                }
                self.stage = Stage::Tunneling;
                Ok(Progress::Connected(clock::now()))
            }
            Stage::Tunneling => {
                if let Some(tunnel) = &mut self.tunnel
                    && !tunnel.advance(self.transport.stream_mut())?
                {
                    return Ok(Progress::None);
                }
                self.tunnel = None;
                self.stage = Stage::Securing;
                self.advance()
            }
            Stage::Securing => match self.transport.handshake() {
                Ok(true) => {
                    self.stage = Stage::Ready;
                    Ok(Progress::Ready(clock::now()))
                }
                Ok(false) => Ok(Progress::None),
                Err(error) => Err(End::failed(FailureKind::Tls, &error)),
            },
            Stage::Connecting | Stage::Ready => Ok(Progress::None),
        }
    }

    /// Reads once into the buffer.
    #[inline]
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Transfer, End> {
        self.transport
            .read(buffer)
            .map_err(|error| read_failure(&error))
    }

    /// Writes once; returns the number of bytes written, 0 if the socket has no room.
    #[inline]
    pub fn write(&mut self, bytes: &[u8], shared: &mut Shared<'_>) -> Result<usize, End> {
        if !self.can_write() {
            return Ok(0);
        }
        let written = self.transport.write(bytes);
        self.note_written(written, shared)
    }

    /// Returns the socket if a batch can read from it and write to it: without TLS.
    #[inline]
    pub fn batched_stream(&self) -> Option<&Stream> {
        match &self.transport {
            Transport::Plain(stream) if self.stage == Stage::Ready => Some(stream),
            _ => None,
        }
    }

    /// Whether the socket has room, as far as is known.
    #[inline]
    pub fn can_write(&self) -> bool {
        self.is_writable && self.stage == Stage::Ready
    }

    /// Counts what was written; returns the number of bytes, 0 if the socket has no room.
    #[inline]
    pub fn note_written(
        &mut self,
        written: io::Result<Transfer>,
        shared: &mut Shared<'_>,
    ) -> Result<usize, End> {
        match written {
            Ok(Transfer::Bytes(moved)) => {
                shared.traffic.written_bytes += moved as u64;
                shared.traffic.write_calls += 1;
                Ok(moved)
            }
            Ok(Transfer::WouldBlock | Transfer::Ended) => {
                self.is_writable = false;
                Ok(0)
            }
            Err(error) => Err(End::failed(FailureKind::Write, &error)),
        }
    }

    /// Sends the bytes that TLS has buffered.
    #[inline]
    pub fn flush(&mut self) -> Result<(), End> {
        if self.can_write() {
            self.is_writable = self
                .transport
                .flush()
                .map_err(|error| End::failed(FailureKind::Write, &error))?;
        }
        Ok(())
    }

    /// Registers the socket with the poller under another token.
    pub fn reregister(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.transport.reregister(registry, token)
    }

    /// Shuts down the sending direction.
    pub fn shutdown_write(&mut self) -> Result<(), End> {
        self.transport
            .shutdown_write()
            .map_err(|error| End::failed(FailureKind::Write, &error))
    }
}

/// Returns the end of a connection whose socket cannot be read from.
pub fn read_failure(error: &io::Error) -> End {
    End::failed(FailureKind::Read, error)
}
