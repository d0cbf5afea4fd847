//! The server's answer to the offers of a client: RFC 7692, sections 5 and 7.1.

use std::fmt;

use super::offer::CLIENT_MAX_WINDOW_BITS;
use super::{ClientWindow, DeflateOffer, DeflateParameters, NegotiationError, WindowBits};

/// A server's answer. Its `Display` form is an element of `Sec-WebSocket-Extensions`.
///
/// It has the form of an offer in which the client's window is not limited or has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeflateAnswer(DeflateOffer);

impl DeflateAnswer {
    /// Parses an element of the response's `Sec-WebSocket-Extensions`.
    ///
    /// Returns `None` if the element is a different extension.
    pub(super) fn decode(element: &str) -> Result<Option<Self>, NegotiationError> {
        match DeflateOffer::decode(element)? {
            // The value is optional in an offer and required in an answer.
            Some(answer) if answer.client_max_window_bits == ClientWindow::Limitable => {
                let name = CLIENT_MAX_WINDOW_BITS.to_owned();
                Err(NegotiationError::InvalidParameter(name))
            }
            answer => Ok(answer.map(Self)),
        }
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
        Some(Self(DeflateOffer {
            server_no_context_takeover: offer.server_no_context_takeover
                || wanted.server_no_context_takeover,
            client_no_context_takeover: offer.client_no_context_takeover
                || wanted.client_no_context_takeover,
            server_max_window_bits,
            client_max_window_bits: match offer.client_max_window_bits {
                ClientWindow::Unlimited => ClientWindow::Unlimited,
                ClientWindow::Limitable => limit(wanted.client_max_window_bits)
                    .map_or(ClientWindow::Unlimited, ClientWindow::AtMost),
                ClientWindow::AtMost(announced) => {
                    ClientWindow::AtMost(announced.min(wanted.client_max_window_bits))
                }
            },
        }))
    }

    /// Returns the limit of the client's window; `None` if it is not limited.
    pub(super) fn client_max_window_bits(self) -> Option<WindowBits> {
        match self.0.client_max_window_bits {
            ClientWindow::AtMost(bits) => Some(bits),
            ClientWindow::Unlimited | ClientWindow::Limitable => None,
        }
    }

    /// The parameters of the connection after this answer.
    pub fn parameters(&self) -> DeflateParameters {
        let client_max_window_bits = self.client_max_window_bits();
        DeflateParameters {
            server_no_context_takeover: self.0.server_no_context_takeover,
            client_no_context_takeover: self.0.client_no_context_takeover,
            server_max_window_bits: self.0.server_max_window_bits.unwrap_or(WindowBits::MAX),
            client_max_window_bits: client_max_window_bits.unwrap_or(WindowBits::MAX),
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
        self.0.fmt(f)
    }
}
