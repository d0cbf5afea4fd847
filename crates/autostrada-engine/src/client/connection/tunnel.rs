//! A tunnel through a proxy, before anything of the connection itself is sent.

use std::fmt::Display;

use autostrada_measure::FailureKind;
use autostrada_net::{Stream, Transfer};
use autostrada_proto::http::tunnel::decode_answer;

use crate::client::end::End;

/// Number of bytes that are read at once.
const READ_BYTES: usize = 1024;

/// A tunnel that is being opened.
#[derive(Debug)]
pub struct Tunnel {
    /// The bytes of the request that are not sent.
    request: Vec<u8>,
    /// The bytes of the answer that were received.
    answer: Vec<u8>,
}

impl Tunnel {
    /// Creates a tunnel with this request to the proxy.
    pub fn new(request: Vec<u8>) -> Self {
        Self {
            request,
            answer: Vec::new(),
        }
    }

    /// Sends the request and reads the answer, as far as the socket permits; returns whether the
    /// tunnel is open.
    /// Returns a failure of kind `connect` if the proxy refuses, or is none.
    pub fn advance(&mut self, stream: &mut Stream) -> Result<bool, End> {
        while !self.request.is_empty() {
            match stream
                .write(&self.request)
                .map_err(|error| failed(&error))?
            {
                Transfer::Bytes(bytes) => drop(self.request.drain(..bytes)),
                Transfer::WouldBlock | Transfer::Ended => return Ok(false),
            }
        }
        loop {
            let mut buffer = [0; READ_BYTES];
            match stream.read(&mut buffer).map_err(|error| failed(&error))? {
                Transfer::WouldBlock => return Ok(false),
                Transfer::Ended => return Err(failed(&"the proxy ended the connection")),
                Transfer::Bytes(bytes) => self.answer.extend_from_slice(&buffer[..bytes]),
            }
            match decode_answer(&self.answer) {
                Ok(None) => {}
                // The server sends nothing before it has a request.
                Ok(Some(head_bytes)) if head_bytes == self.answer.len() => return Ok(true),
                Ok(Some(_)) => return Err(failed(&"the proxy's answer has a body")),
                Err(error) => return Err(failed(&error)),
            }
        }
    }
}

fn failed(cause: &dyn Display) -> End {
    End::Failed(FailureKind::Connect, cause.to_string())
}
