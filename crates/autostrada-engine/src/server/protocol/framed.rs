//! Framed TCP, in which a client's first message is the path.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::framed::{FramedDecoder, encode_framed};
use autostrada_proto::message::{Decoded as DecodedFrame, Event};

use super::{Decoded, MESSAGE_BYTES_MAX, PeerEvent, Route};

/// Maximum length of the first message, in bytes.
const PATH_BYTES_MAX: usize = 1024;

/// One connection over framed TCP.
#[derive(Debug)]
pub struct Framed {
    decoder: FramedDecoder,
    is_open: bool,
}

impl Framed {
    /// Creates a connection that expects the path.
    pub fn new() -> Self {
        Self {
            decoder: FramedDecoder::new(PATH_BYTES_MAX),
            is_open: false,
        }
    }

    /// Decodes the message at the front of `input`, and appends the answer to `out`.
    #[inline]
    pub fn decode(
        &mut self,
        input: &[u8],
        is_echoing: bool,
        has_feed: bool,
        out: &mut Vec<u8>,
    ) -> Result<Decoded, ProtocolError> {
        let (consumed_bytes, payload) = match self.decoder.decode(input)? {
            DecodedFrame::Event {
                consumed_bytes,
                event: Event::Binary(payload),
            } => (consumed_bytes, payload),
            DecodedFrame::Event { .. } => unreachable!("every message is binary"),
            DecodedFrame::Incomplete { needed_bytes } => {
                return Ok(Decoded::Incomplete { needed_bytes });
            }
        };
        let event = if self.is_open {
            if is_echoing {
                encode_framed(payload, out);
            }
            PeerEvent::Nothing
        } else {
            self.request(payload, has_feed, out)
        };
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        })
    }

    fn request(&mut self, path: &[u8], has_feed: bool, out: &mut Vec<u8>) -> PeerEvent {
        let path = String::from_utf8_lossy(path);
        if let Some(route) = Route::from_path(&path, has_feed) {
            self.is_open = true;
            self.decoder = FramedDecoder::new(MESSAGE_BYTES_MAX);
            return PeerEvent::Requested(route);
        }
        crate::log(&format!("refused a client: nothing is served at {path:?}"));
        encode_framed(Route::remedy(has_feed).as_bytes(), out);
        PeerEvent::Refused
    }
}

#[cfg(test)]
#[path = "tests/framed.rs"]
mod tests;
