//! What a client offers, and how it checks the answer: RFC 7692, sections 5 and 7.1.

use std::fmt;

use super::{DeflateAnswer, DeflateParameters, NAME, NegotiationError, WindowBits};

const SERVER_NO_CONTEXT_TAKEOVER: &str = "server_no_context_takeover";
const CLIENT_NO_CONTEXT_TAKEOVER: &str = "client_no_context_takeover";
const SERVER_MAX_WINDOW_BITS: &str = "server_max_window_bits";
pub(super) const CLIENT_MAX_WINDOW_BITS: &str = "client_max_window_bits";

/// What a client lets the server say about the window of what the client sends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClientWindow {
    /// Nothing: the client uses the largest window.
    #[default]
    Unlimited,
    /// The server may set a limit.
    Limitable,
    /// The server may set a limit, and the client keeps to this one even if it does not.
    AtMost(WindowBits),
}

/// An offer of a client. As text it is an element of `Sec-WebSocket-Extensions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeflateOffer {
    /// Demands that the server compress each message by itself.
    pub server_no_context_takeover: bool,
    /// Announces that the client will compress each message by itself.
    pub client_no_context_takeover: bool,
    /// Demands that the server use this window or a smaller one.
    pub server_max_window_bits: Option<WindowBits>,
    pub client_max_window_bits: ClientWindow,
}

impl DeflateOffer {
    /// Reads an element of the request's `Sec-WebSocket-Extensions`.
    ///
    /// `None` means that it is another extension.
    ///
    /// # Errors
    ///
    /// When the parameters are not those of an offer: a server then declines it.
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

    /// Checks what the server granted, and says what holds for the connection.
    ///
    /// Takes the extensions of the response; `None` means that messages are not
    /// compressed.
    ///
    /// # Errors
    ///
    /// When the answer is malformed or does not fit this offer: the connection fails.
    pub fn check_answer(
        &self,
        extensions: &[impl AsRef<str>],
    ) -> Result<Option<DeflateParameters>, NegotiationError> {
        let mut granted = None;
        for element in extensions {
            if let Some(answer) = DeflateAnswer::decode(element.as_ref())?
                && granted.replace(answer).is_some()
            {
                return Err(NegotiationError::GrantedTwice);
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
        let has_limit = answer.client_max_window_bits.is_some();
        if has_limit && self.client_max_window_bits == ClientWindow::Unlimited {
            return Err(NegotiationError::NotOffered(CLIENT_MAX_WINDOW_BITS));
        }
        // A client keeps to what it announced, whatever the answer says.
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

/// A value may stand in quotes: RFC 6455, section 9.1.
fn unquote(value: &str) -> &str {
    let inside = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inside.unwrap_or(value)
}

/// A decimal without leading zeroes: section 7.1.2.1.
fn decode_bits(value: &str) -> Option<WindowBits> {
    let is_decimal = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.starts_with('0');
    WindowBits::new(value.parse().ok().filter(|_| is_decimal)?)
}
