//! How messages travel: protocol, request, compression, TLS, TCP.

use std::collections::BTreeMap;
use std::path::PathBuf;

use autostrada_proto::deflate::{ClientWindow, DeflateOffer, WindowBits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;

/// The protocol of all connections.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ProtocolPlan {
    /// WebSocket (RFC 6455): `ws://`, `wss://`.
    #[serde(rename = "websocket")]
    WebSocket {},
    /// Socket.IO v5 over Engine.IO v4: `http://`, `https://`, or `ws://`, `wss://`. The path is
    /// `/socket.io/` where the URL has none.
    #[serde(rename = "socket-io")]
    SocketIo(SocketIoPlan),
    /// Framed TCP: `tcp://`, `tls://`. A message is its length in four bytes, big-endian, and its
    /// payload; a path other than `/` is sent first, as a message. It has no `request`, no
    /// `compression` and no `payload.fragment_bytes`.
    FramedTcp {},
}

impl Default for ProtocolPlan {
    fn default() -> Self {
        Self::WebSocket {}
    }
}

/// The settings of Socket.IO.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocketIoPlan {
    /// What carries Engine.IO.
    #[serde(default)]
    pub transport: SocketIoTransport,
    /// The namespace; it begins with a slash.
    #[schemars(regex(pattern = "^/[^,?]*$"))]
    #[serde(default = "namespace_default")]
    pub namespace: String,
    /// The name of the event that carries a message.
    #[serde(default = "event_default")]
    pub event: String,
    /// Whether the answer to a message is its acknowledgement instead of an event.
    #[serde(default)]
    pub acknowledge: bool,
}

/// What carries Engine.IO.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SocketIoTransport {
    /// One WebSocket connection.
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

/// What the opening request has beside the fields of the protocol.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPlan {
    /// Further header fields: name and value.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Cookies: name and value.
    #[serde(default)]
    cookies: BTreeMap<String, String>,
    /// Subprotocols, in order of preference.
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

/// The offer of permessage-deflate (RFC 7692).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompressionPlan {
    /// The level of compression of what is sent.
    #[serde(default = "level_default")]
    #[schemars(range(max = 9))]
    pub level: u32,
    /// Messages shorter than this are sent uncompressed.
    #[serde(default)]
    pub min_bytes: usize,
    /// Ask the server to compress each message by itself.
    #[serde(default)]
    server_no_context_takeover: bool,
    /// Compress each message by itself.
    #[serde(default)]
    client_no_context_takeover: bool,
    /// Ask the server for a window of 2 to the power of this many bytes. Without it, 15.
    #[schemars(range(min = 9, max = 15))]
    server_max_window_bits: Option<u8>,
    /// Use a window of 2 to the power of this many bytes at most. Without it, as large as the
    /// server allows.
    #[schemars(range(min = 9, max = 15))]
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

/// The TLS settings of the client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsPlan {
    /// Accept any certificate.
    #[serde(default)]
    pub insecure: bool,
    /// The path of a file of certificates (PEM) to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// The only version to offer. Without it, both.
    #[schemars(extend("enum" = ["1.2", "1.3"]))]
    pub version: Option<String>,
    /// The only cipher suite to offer, by its IANA name. Without it, all.
    pub cipher_suite: Option<String>,
    /// Resume earlier sessions; their handshakes are reported separately.
    #[serde(default)]
    pub resumption: bool,
    /// The name that the certificate must be for. Without it, the host of the URL.
    pub server_name: Option<String>,
}

/// The TCP settings of the client's sockets.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpPlan {
    /// Whether `TCP_NODELAY` is set.
    #[serde(default = "yes")]
    pub no_delay: bool,
    /// The send buffer of each socket. Without it, the kernel chooses.
    #[schemars(range(min = 1, max = BUFFER_BYTES_MAX))]
    pub send_buffer_bytes: Option<usize>,
    /// The receive buffer of each socket. Without it, the kernel chooses.
    #[schemars(range(min = 1, max = BUFFER_BYTES_MAX))]
    pub receive_buffer_bytes: Option<usize>,
    /// The congestion control, by the kernel's name. Without it, the kernel chooses.
    pub congestion_control: Option<String>,
    /// How many frames are written with one system call.
    #[serde(default)]
    pub frames_per_write: FramesPerCall,
}

/// How many frames a client writes with one system call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FramesPerCall {
    /// As many as are waiting.
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
        assert_eq!(socket_io.transport, SocketIoTransport::Polling);
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
