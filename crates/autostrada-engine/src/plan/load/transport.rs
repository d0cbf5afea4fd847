//! How messages travel: protocol, request, compression, TLS, TCP.

use std::collections::BTreeMap;
use std::path::PathBuf;

use autostrada_proto::deflate::{ClientWindow, DeflateOffer, WindowBits};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// The protocol of all connections.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ProtocolPlan {
    /// RFC 6455.
    #[serde(rename = "websocket")]
    WebSocket {},
    /// Socket.IO v5 over Engine.IO v4.
    #[serde(rename = "socket-io")]
    SocketIo(SocketIoPlan),
    /// Four bytes of length, then the payload.
    FramedTcp {},
}

impl Default for ProtocolPlan {
    fn default() -> Self {
        Self::WebSocket {}
    }
}

/// How Socket.IO is spoken.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocketIoPlan {
    /// What carries it.
    #[serde(default)]
    pub transport: Carrier,
    /// Begins with a slash.
    #[serde(default = "namespace_default")]
    pub namespace: String,
    /// The event that carries a message.
    #[serde(default = "event_default")]
    pub event: String,
    /// The answer to a message is its acknowledgement.
    #[serde(default)]
    pub acknowledge: bool,
}

/// What carries Engine.IO.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Carrier {
    /// One connection.
    #[default]
    WebSocket,
    /// HTTP requests over two connections.
    Polling,
}

fn namespace_default() -> String {
    "/".to_owned()
}

fn event_default() -> String {
    "message".to_owned()
}

impl ProtocolPlan {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When a name is none.
    pub fn check(&self) -> Result<(), PlanError> {
        let Self::SocketIo(plan) = self else {
            return Ok(());
        };
        if !plan.namespace.starts_with('/') || plan.namespace.contains([',', '?']) {
            return Err(PlanError::new(
                "protocol.namespace begins with / and has neither comma nor question mark",
            ));
        }
        if autostrada_proto::socket_io::is_reserved_event(&plan.event) {
            return Err(PlanError::new(format!(
                "protocol.event: {:?} is an event of Socket.IO itself: give another name",
                plan.event
            )));
        }
        Ok(())
    }
}

/// What is said in the opening request, beside what the protocol says.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPlan {
    /// Further fields.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Cookies, in one field.
    #[serde(default)]
    cookies: BTreeMap<String, String>,
    /// In order of preference.
    #[serde(default)]
    pub subprotocols: Vec<String>,
}

impl RequestPlan {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.cookies.is_empty() && self.subprotocols.is_empty()
    }

    /// All fields; with `extensions` where they are asked for.
    #[must_use]
    pub fn fields(&self, extensions: Option<String>) -> Vec<(String, String)> {
        let mut fields: Vec<_> = self.headers.clone().into_iter().collect();
        if !self.cookies.is_empty() {
            let pairs: Vec<_> = self
                .cookies
                .iter()
                .map(|(k, v)| format!("{k}={v}"))
                .collect();
            fields.push(("Cookie".to_owned(), pairs.join("; ")));
        }
        if !self.subprotocols.is_empty() {
            let list = self.subprotocols.join(", ");
            fields.push(("Sec-WebSocket-Protocol".to_owned(), list));
        }
        fields.extend(extensions.map(|list| ("Sec-WebSocket-Extensions".to_owned(), list)));
        fields
    }
}

/// What of permessage-deflate is offered.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompressionPlan {
    /// 0 to 9.
    #[serde(default = "level_default")]
    pub level: u32,
    /// Shorter messages are sent as they are.
    #[serde(default)]
    pub min_bytes: usize,
    #[serde(default)]
    server_no_context_takeover: bool,
    #[serde(default)]
    client_no_context_takeover: bool,
    server_max_window_bits: Option<u8>,
    client_max_window_bits: Option<u8>,
}

fn level_default() -> u32 {
    6
}

impl CompressionPlan {
    /// Whether each connection keeps what it has compressed in mind.
    #[must_use]
    pub fn takes_over_context(&self) -> bool {
        !self.client_no_context_takeover
    }

    /// The offer of the opening request.
    ///
    /// # Errors
    ///
    /// When a number is out of range.
    pub fn offer(&self) -> Result<DeflateOffer, PlanError> {
        if self.level > 9 {
            return Err(PlanError::new("compression.level is 0 to 9"));
        }
        let bits = |bits: u8| {
            WindowBits::new(bits)
                .filter(|bits| *bits >= WindowBits::MIN_COMPRESSED)
                .ok_or_else(|| PlanError::new("compression: window bits are 9 to 15"))
        };
        Ok(DeflateOffer {
            server_no_context_takeover: self.server_no_context_takeover,
            client_no_context_takeover: self.client_no_context_takeover,
            server_max_window_bits: self.server_max_window_bits.map(bits).transpose()?,
            client_max_window_bits: match self.client_max_window_bits {
                None => ClientWindow::Limitable,
                Some(limit) => ClientWindow::AtMost(bits(limit)?),
            },
        })
    }
}

/// What is wanted of TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsPlan {
    /// Accept any certificate.
    #[serde(default)]
    pub insecure: bool,
    /// A file of certificates (PEM) to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// `1.2` or `1.3`; either where it is not given.
    pub version: Option<String>,
    /// One suite only, by its IANA name.
    pub cipher_suite: Option<String>,
    /// Take up earlier sessions.
    #[serde(default)]
    pub resumption: bool,
    /// What the certificate must be for, where it is not the URL's host.
    pub server_name: Option<String>,
}

/// What is wanted of TCP.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpPlan {
    /// `TCP_NODELAY`.
    #[serde(default = "yes")]
    pub no_delay: bool,
    /// Of each socket.
    pub send_buffer_bytes: Option<usize>,
    /// Of each socket.
    pub receive_buffer_bytes: Option<usize>,
    /// As the kernel names it.
    pub congestion_control: Option<String>,
    /// How many frames go into one system call.
    #[serde(default)]
    pub frames_per_write: FramesPerCall,
}

/// How many frames a client writes at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FramesPerCall {
    /// As many as there are.
    #[default]
    Many,
    /// One.
    One,
}

/// The largest buffer that a socket may be asked to have.
const BUFFER_BYTES_MAX: usize = 1 << 30;

impl TcpPlan {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When a buffer is none, or larger than any kernel gives.
    pub fn check(&self) -> Result<(), PlanError> {
        let buffers = [self.send_buffer_bytes, self.receive_buffer_bytes];
        let is_right = |bytes: usize| (1..=BUFFER_BYTES_MAX).contains(&bytes);
        if buffers.into_iter().flatten().all(is_right) {
            return Ok(());
        }
        Err(PlanError::new("tcp: buffers are 1 to 1073741824 bytes"))
    }
}

fn yes() -> bool {
    true
}

impl Default for TcpPlan {
    fn default() -> Self {
        Self {
            no_delay: true,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
            congestion_control: None,
            frames_per_write: FramesPerCall::Many,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_and_subprotocols_are_fields() {
        let plan: RequestPlan = serde_json::from_str(
            r#"{"headers": {"X-A": "b"}, "cookies": {"c": "1", "d": "2"}, "subprotocols": ["x", "y"]}"#,
        )
        .unwrap();
        let fields = plan.fields(Some("permessage-deflate".to_owned()));
        let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{k}: {v}")).collect();
        assert_eq!(
            fields,
            [
                "X-A: b",
                "Cookie: c=1; d=2",
                "Sec-WebSocket-Protocol: x, y",
                "Sec-WebSocket-Extensions: permessage-deflate",
            ]
        );
    }

    #[test]
    fn an_offer_says_what_was_planned() {
        for (json, offer) in [
            ("{}", "permessage-deflate; client_max_window_bits"),
            (
                r#"{"server_no_context_takeover": true, "client_max_window_bits": 10}"#,
                "permessage-deflate; server_no_context_takeover; client_max_window_bits=10",
            ),
        ] {
            let plan: CompressionPlan = serde_json::from_str(json).unwrap();
            assert_eq!(plan.offer().unwrap().to_string(), offer);
        }
        for json in [r#"{"level": 10}"#, r#"{"server_max_window_bits": 8}"#] {
            let plan: CompressionPlan = serde_json::from_str(json).unwrap();
            assert!(plan.offer().is_err(), "{json}");
        }
    }

    #[test]
    fn a_key_of_another_protocol_is_refused() {
        for json in [
            r#"{"kind": "websocket", "event": "x"}"#,
            r#"{"kind": "framed-tcp", "namespace": "/x"}"#,
        ] {
            assert!(
                serde_json::from_str::<ProtocolPlan>(json).is_err(),
                "{json}"
            );
        }
    }

    #[test]
    fn socket_io_has_its_own_names() {
        let plan: ProtocolPlan =
            serde_json::from_str(r#"{"kind": "socket-io", "transport": "polling"}"#).unwrap();
        let ProtocolPlan::SocketIo(socket_io) = &plan else {
            panic!("{plan:?}");
        };
        assert_eq!(socket_io.transport, Carrier::Polling);
        assert_eq!(
            (socket_io.namespace.as_str(), socket_io.event.as_str()),
            ("/", "message")
        );
        plan.check().unwrap();
        for json in [
            r#"{"kind": "socket-io", "event": "connect"}"#,
            r#"{"kind": "socket-io", "namespace": "x"}"#,
        ] {
            let plan: ProtocolPlan = serde_json::from_str(json).unwrap();
            assert!(plan.check().is_err(), "{json}");
        }
    }
}
