//! The server's answer to the offers of a client: RFC 7692, sections 5 and 7.1.

use std::fmt;

use super::offer::CLIENT_MAX_WINDOW_BITS;
use super::{ClientWindow, DeflateOffer, DeflateParameters, NegotiationError, WindowBits};

/// A server's answer. Its `Display` form is an element of `Sec-WebSocket-Extensions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeflateAnswer {
    /// Whether the server compresses each message independently.
    pub server_no_context_takeover: bool,
    /// Whether the client must compress each message independently.
    pub client_no_context_takeover: bool,
    /// Limit of the server's window; `None` if it is not limited.
    pub server_max_window_bits: Option<WindowBits>,
    /// Limit of the client's window; `None` if it is not limited.
    pub client_max_window_bits: Option<WindowBits>,
}

impl DeflateAnswer {
    /// Parses an element of the response's `Sec-WebSocket-Extensions`.
    ///
    /// Returns `None` if the element is a different extension.
    pub(super) fn decode(element: &str) -> Result<Option<Self>, NegotiationError> {
        let Some(written) = DeflateOffer::decode(element)? else {
            return Ok(None);
        };
        let client_max_window_bits = match written.client_max_window_bits {
            ClientWindow::Unlimited => None,
            ClientWindow::AtMost(bits) => Some(bits),
            // The value is optional in an offer and required in an answer.
            ClientWindow::Limitable => {
                let name = CLIENT_MAX_WINDOW_BITS.to_owned();
                return Err(NegotiationError::InvalidParameter(name));
            }
        };
        Ok(Some(Self {
            server_no_context_takeover: written.server_no_context_takeover,
            client_no_context_takeover: written.client_no_context_takeover,
            server_max_window_bits: written.server_max_window_bits,
            client_max_window_bits,
        }))
    }

    /// Creates an answer that grants the offer and adds what the server wants and may add.
    ///
    /// Returns `None`, to decline, if the offer demands a window too small for compression.
    fn new(offer: DeflateOffer, wanted: DeflateParameters) -> Option<Self> {
        let limit = |bits: WindowBits| (bits < WindowBits::MAX).then_some(bits);
        let server_max_window_bits = match offer.server_max_window_bits {
            // A demanded limit is granted by repeating it.
            Some(demanded) => Some(demanded.min(wanted.server_max_window_bits)),
            None => limit(wanted.server_max_window_bits),
        };
        if server_max_window_bits.is_some_and(|bits| bits < WindowBits::MIN_COMPRESSED) {
            return None;
        }
        Some(Self {
            server_no_context_takeover: offer.server_no_context_takeover
                || wanted.server_no_context_takeover,
            client_no_context_takeover: offer.client_no_context_takeover
                || wanted.client_no_context_takeover,
            server_max_window_bits,
            client_max_window_bits: match offer.client_max_window_bits {
                ClientWindow::Unlimited => None,
                ClientWindow::Limitable => limit(wanted.client_max_window_bits),
                ClientWindow::AtMost(announced) => {
                    Some(announced.min(wanted.client_max_window_bits))
                }
            },
        })
    }

    /// The parameters of the connection after this answer.
    pub fn parameters(&self) -> DeflateParameters {
        DeflateParameters {
            server_no_context_takeover: self.server_no_context_takeover,
            client_no_context_takeover: self.client_no_context_takeover,
            server_max_window_bits: self.server_max_window_bits.unwrap_or(WindowBits::MAX),
            client_max_window_bits: self.client_max_window_bits.unwrap_or(WindowBits::MAX),
        }
    }
}

/// Answers the first acceptable offer among the extensions of a request.
///
/// The server adds the restrictions in `wanted` to those in the offer; it limits
/// the client's window only if the offer allows a limit. Malformed offers are
/// declined, as section 7.1 requires. Returns `None` if no offer is acceptable:
/// messages are then not compressed.
pub fn accept_offer(
    extensions: &[impl AsRef<str>],
    wanted: DeflateParameters,
) -> Option<DeflateAnswer> {
    extensions.iter().find_map(|element| {
        let offer = DeflateOffer::decode(element.as_ref()).ok().flatten()?;
        DeflateAnswer::new(offer, wanted)
    })
}

impl fmt::Display for DeflateAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = DeflateOffer {
            server_no_context_takeover: self.server_no_context_takeover,
            client_no_context_takeover: self.client_no_context_takeover,
            server_max_window_bits: self.server_max_window_bits,
            client_max_window_bits: match self.client_max_window_bits {
                Some(bits) => ClientWindow::AtMost(bits),
                None => ClientWindow::Unlimited,
            },
        };
        write!(f, "{written}")
    }
}
