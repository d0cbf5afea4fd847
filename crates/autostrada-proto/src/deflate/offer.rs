//! The client's offer, and the validation of the answer: RFC 7692, sections 5 and 7.1.

use std::fmt;

use super::{DeflateAnswer, DeflateParameters, NAME, NegotiationError, WindowBits};

const SERVER_NO_CONTEXT_TAKEOVER: &str = "server_no_context_takeover";
const CLIENT_NO_CONTEXT_TAKEOVER: &str = "client_no_context_takeover";
const SERVER_MAX_WINDOW_BITS: &str = "server_max_window_bits";
pub(super) const CLIENT_MAX_WINDOW_BITS: &str = "client_max_window_bits";

/// The offered `client_max_window_bits`: whether the server may limit the client's window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClientWindow {
    /// The server must not set a limit; the client uses the largest window.
    #[default]
    Unlimited,
    /// The server may set a limit.
    Limitable,
    /// The server may set a limit; the client uses at most this window in any case.
    AtMost(WindowBits),
}

/// A client's offer. Its `Display` form is an element of `Sec-WebSocket-Extensions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeflateOffer {
    /// Whether the server must compress each message independently.
    pub server_no_context_takeover: bool,
    /// Whether the client compresses each message independently.
    pub client_no_context_takeover: bool,
    /// Largest window that the server may use; `None` if it is not limited.
    pub server_max_window_bits: Option<WindowBits>,
    /// Window of the client, and whether the server may limit it.
    pub client_max_window_bits: ClientWindow,
}

impl DeflateOffer {
    /// Parses an element of the request's `Sec-WebSocket-Extensions`.
    ///
    /// Returns `None` if the element is a different extension.
    /// Returns an error if a parameter is unknown, repeated or invalid. A server declines such an
    /// offer.
    pub fn decode(element: &str) -> Result<Option<Self>, NegotiationError> {
        let mut parts = element.split(';').map(str::trim);
        if parts.next() != Some(NAME) {
            return Ok(None);
        }
        let mut offer = Self::default();
        let mut names = Vec::new();
        for part in parts {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name.trim_end(), Some(unquote(value.trim_start()))),
                None => (part, None),
            };
            if names.contains(&name) {
                return Err(NegotiationError::RepeatedParameter(name.to_owned()));
            }
            names.push(name);
            offer.take_parameter(name, value)?;
        }
        Ok(Some(offer))
    }

    fn take_parameter(&mut self, name: &str, value: Option<&str>) -> Result<(), NegotiationError> {
        let bits = value.map(decode_bits);
        match (name, bits) {
            (SERVER_NO_CONTEXT_TAKEOVER, None) => self.server_no_context_takeover = true,
            (CLIENT_NO_CONTEXT_TAKEOVER, None) => self.client_no_context_takeover = true,
            (SERVER_MAX_WINDOW_BITS, Some(Some(bits))) => self.server_max_window_bits = Some(bits),
            (CLIENT_MAX_WINDOW_BITS, None) => {
                self.client_max_window_bits = ClientWindow::Limitable;
            }
            (CLIENT_MAX_WINDOW_BITS, Some(Some(bits))) => {
                self.client_max_window_bits = ClientWindow::AtMost(bits);
            }
            (
                SERVER_NO_CONTEXT_TAKEOVER
                | CLIENT_NO_CONTEXT_TAKEOVER
                | SERVER_MAX_WINDOW_BITS
                | CLIENT_MAX_WINDOW_BITS,
                _,
            ) => return Err(NegotiationError::InvalidParameter(name.to_owned())),
            _ => return Err(NegotiationError::UnknownParameter(name.to_owned())),
        }
        Ok(())
    }

    /// Validates the server's answer and returns the parameters of the connection.
    ///
    /// `extensions` are those of the response. Returns `None` if permessage-deflate
    /// is not among them: messages are then not compressed.
    /// Returns an error if the answer is malformed or does not match this offer. The client must
    /// then fail the connection.
    pub fn check_answer(
        &self,
        extensions: &[impl AsRef<str>],
    ) -> Result<Option<DeflateParameters>, NegotiationError> {
        let mut granted = None;
        for element in extensions {
            if let Some(answer) = DeflateAnswer::decode(element.as_ref())?
                && granted.replace(answer).is_some()
            {
                return Err(NegotiationError::RepeatedExtension);
            }
        }
        granted.map(|answer| self.check(answer)).transpose()
    }

    fn check(self, answer: DeflateAnswer) -> Result<DeflateParameters, NegotiationError> {
        let mut parameters = answer.parameters();
        if self.server_no_context_takeover && !parameters.server_no_context_takeover {
            return Err(NegotiationError::NotGranted(SERVER_NO_CONTEXT_TAKEOVER));
        }
        if let Some(demanded) = self.server_max_window_bits
            && parameters.server_max_window_bits > demanded
        {
            return Err(NegotiationError::NotGranted(SERVER_MAX_WINDOW_BITS));
        }
        let has_limit = answer.client_max_window_bits().is_some();
        if has_limit && self.client_max_window_bits == ClientWindow::Unlimited {
            return Err(NegotiationError::NotOffered(CLIENT_MAX_WINDOW_BITS));
        }
        // The client's announcements are binding, even if the answer does not repeat them.
        parameters.client_no_context_takeover |= self.client_no_context_takeover;
        if let ClientWindow::AtMost(announced) = self.client_max_window_bits {
            let limit = parameters.client_max_window_bits.min(announced);
            parameters.client_max_window_bits = limit;
        }
        if parameters.client_max_window_bits < WindowBits::MIN_COMPRESSED {
            return Err(NegotiationError::WindowTooSmall);
        }
        Ok(parameters)
    }
}

impl fmt::Display for DeflateOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)?;
        if self.server_no_context_takeover {
            write!(f, "; {SERVER_NO_CONTEXT_TAKEOVER}")?;
        }
        if self.client_no_context_takeover {
            write!(f, "; {CLIENT_NO_CONTEXT_TAKEOVER}")?;
        }
        if let Some(bits) = self.server_max_window_bits {
            write!(f, "; {SERVER_MAX_WINDOW_BITS}={}", bits.bits())?;
        }
        match self.client_max_window_bits {
            ClientWindow::Unlimited => Ok(()),
            ClientWindow::Limitable => write!(f, "; {CLIENT_MAX_WINDOW_BITS}"),
            ClientWindow::AtMost(bits) => {
                write!(f, "; {CLIENT_MAX_WINDOW_BITS}={}", bits.bits())
            }
        }
    }
}

/// Removes the optional quotes of a value: RFC 6455, section 9.1.
fn unquote(value: &str) -> &str {
    let inside = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inside.unwrap_or(value)
}

/// Parses a decimal number without leading zeros: section 7.1.2.1.
fn decode_bits(value: &str) -> Option<WindowBits> {
    let is_decimal = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.starts_with('0');
    WindowBits::new(value.parse().ok().filter(|_| is_decimal)?)
}
