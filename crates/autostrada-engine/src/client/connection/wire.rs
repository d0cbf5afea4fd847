//! A socket on its way to carrying bytes: TCP, then TLS.

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::{Transfer, Transport, clock};

use super::Shared;
use crate::client::end::End;

/// How far a socket has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    Securing,
    Ready,
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

/// A socket, and whether it can be written to.
#[derive(Debug)]
pub struct Wire {
    transport: Transport,
    stage: Stage,
    is_writable: bool,
}

impl Wire {
    /// A socket that is being connected.
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            stage: Stage::Connecting,
            is_writable: false,
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

    /// Takes note that there is room to write.
    pub fn set_writable(&mut self) {
        self.is_writable = true;
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
            Stage::Connecting | Stage::Ready => Ok(Progress::None),
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

    /// Says that nothing more will be sent.
    pub fn end(&mut self) -> Result<(), End> {
        self.transport
            .shutdown_write()
            .map_err(|error| End::failed(FailureKind::Write, &error))
    }
}
