//! The transport of messages: protocol, opening request, compression, TLS and TCP.

use std::collections::BTreeMap;
use std::path::PathBuf;

use autostrada_proto::deflate::{ClientWindow, DeflateOffer, WindowBits};
use autostrada_proto::engine_io;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{FramesPerWrite, PlanError};

/// The protocol of all connections.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ProtocolPlan {
    /// WebSocket (RFC 6455). URL scheme: `ws://` or `wss://`.
    #[serde(rename = "websocket")]
    WebSocket {},
    /// Socket.IO v5 over Engine.IO v4, or v4 over v3. URL scheme: `http://`, `https://`, `ws://` or
    /// `wss://`. The default path is `/socket.io/`.
    #[serde(rename = "socket-io")]
    SocketIo(SocketIoPlan),
    /// Framed TCP. URL scheme: `tcp://` or `tls://`. A message is its length in four bytes,
    /// big-endian, followed by its payload. A path other than `/` is sent as the first message.
    /// `request`, `compression` and `payload.fragment_bytes` are not supported.
    FramedTcp {},
}

impl Default for ProtocolPlan {
    fn default() -> Self {
        Self::WebSocket {}
    }
}

/// The Socket.IO settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SocketIoPlan {
    /// Version of the Engine.IO protocol: 4 for Socket.IO 3 and later, 3 for Socket.IO 1 and 2, whose
    /// clients send the pings. Version 3 is supported over `websocket` only.
    #[schemars(range(min = 3, max = 4))]
    pub engine_io_version: u8,
    /// Transport of Engine.IO.
    pub transport: SocketIoTransport,
    /// Namespace. It begins with `/` and contains neither comma nor question mark.
    #[schemars(regex(pattern = "^/[^,?]*$"))]
    pub namespace: String,
    /// Name of the event that carries a message. Event names reserved by Socket.IO are refused.
    pub event: String,
    /// Whether a message is answered by its acknowledgement instead of an event.
    pub acknowledge: bool,
    /// JSON object with which each connection asks for the namespace, as the option `auth` of
    /// `socket.io-client`, with parts in double braces as in a `template`. Needs version 4 of
    /// Engine.IO. Default: none.
    pub auth: Option<String>,
    /// Whether a text that is JSON is sent as this value, such as an object, instead of as a text.
    pub json: bool,
}

/// The transport of Engine.IO.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SocketIoTransport {
    /// One WebSocket connection.
    #[default]
    WebSocket,
    /// HTTP requests over two connections.
    Polling,
}

impl Default for SocketIoPlan {
    fn default() -> Self {
        Self {
            engine_io_version: 4,
            transport: SocketIoTransport::WebSocket,
            namespace: "/".to_owned(),
            event: "message".to_owned(),
            acknowledge: false,
            auth: None,
            json: false,
        }
    }
}

impl SocketIoPlan {
    /// Returns the version of the Engine.IO protocol of a plan that was checked.
    pub fn version(&self) -> engine_io::Version {
        match self.engine_io_version {
            3 => engine_io::Version::V3,
            _ => engine_io::Version::V4,
        }
    }
}

impl ProtocolPlan {
    /// Whether packets are exchanged by long-polling.
    pub fn is_polling(&self) -> bool {
        matches!(self, Self::SocketIo(plan) if plan.transport == SocketIoTransport::Polling)
    }

    /// Checks the constraints that the types do not express.
    /// Returns an error if the version is not supported, the namespace is invalid, or the event
    /// name is reserved.
    pub fn check(&self) -> Result<(), PlanError> {
        let Self::SocketIo(plan) = self else {
            return Ok(());
        };
        if !(3..=4).contains(&plan.engine_io_version) {
            return Err(PlanError::new("protocol.engine_io_version must be 3 or 4"));
        }
        if plan.engine_io_version == 3 && self.is_polling() {
            return Err(PlanError::new(
                "protocol.engine_io_version 3 is supported over websocket only: change transport",
            ));
        }
        if plan.engine_io_version == 3 && plan.auth.is_some() {
            return Err(PlanError::new(
                "protocol.auth needs engine_io_version 4: Socket.IO 1 and 2 read the query of the URL",
            ));
        }
        if !plan.namespace.starts_with('/') || plan.namespace.contains([',', '?']) {
            return Err(PlanError::new(
                "protocol.namespace must begin with / and contain neither comma nor question mark",
            ));
        }
        if autostrada_proto::socket_io::is_reserved_event(&plan.event) {
            return Err(PlanError::new(format!(
                "protocol.event: {:?} is reserved by Socket.IO: choose another name",
                plan.event
            )));
        }
        Ok(())
    }
}

/// Additions to the opening request.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RequestPlan {
    /// Additional header fields, by name.
    headers: BTreeMap<String, String>,
    /// Cookies, by name.
    cookies: BTreeMap<String, String>,
    /// Subprotocols to offer, in order of preference.
    pub subprotocols: Vec<String>,
}

impl RequestPlan {
    /// Whether nothing is added.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.cookies.is_empty() && self.subprotocols.is_empty()
    }

    /// Returns all header fields as pairs of name and value, including an offer of `extensions`.
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
    /// Compression level of sent messages; 0 is none, 9 the highest.
    #[serde(default = "level_default")]
    #[schemars(range(max = 9))]
    pub level: u32,
    /// Minimum length of a message in bytes to be compressed; shorter messages are sent
    /// uncompressed.
    #[serde(default)]
    pub min_bytes: usize,
    /// Whether to ask the server to compress each message independently (no context takeover).
    #[serde(default)]
    server_no_context_takeover: bool,
    /// Whether the client compresses each message independently (no context takeover).
    #[serde(default)]
    client_no_context_takeover: bool,
    /// Base-2 logarithm of the maximum window, in bytes, requested from the server. Default: no
    /// request, so that the server may use 15.
    #[schemars(range(min = 9, max = 15))]
    server_max_window_bits: Option<u8>,
    /// Base-2 logarithm of the maximum window of the client, in bytes. Default: the largest that
    /// the server allows.
    #[schemars(range(min = 9, max = 15))]
    client_max_window_bits: Option<u8>,
}

fn level_default() -> u32 {
    6
}

impl CompressionPlan {
    /// Whether each connection keeps its compression context from message to message.
    pub fn takes_over_context(&self) -> bool {
        !self.client_no_context_takeover
    }

    /// Returns the offer for the opening request.
    pub fn offer(&self) -> Result<DeflateOffer, PlanError> {
        if self.level > 9 {
            return Err(PlanError::new("compression.level must be from 0 to 9"));
        }
        let bits = |bits: u8| {
            WindowBits::new(bits)
                .filter(|bits| *bits >= WindowBits::MIN_COMPRESSED)
                .ok_or_else(|| PlanError::new("compression: window bits must be from 9 to 15"))
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
#[serde(deny_unknown_fields, default)]
pub struct TlsPlan {
    /// Whether to accept any certificate.
    pub insecure: bool,
    /// Path of a PEM file of CA certificates to trust. Default: the certificates of the system.
    pub ca_file: Option<PathBuf>,
    /// Path of a PEM file with the client's own certificate and those between it and its CA, for a
    /// server that asks for one; needs `key_file`. Default: none.
    pub certificate_file: Option<PathBuf>,
    /// Path of a PEM file with the private key of `certificate_file`.
    pub key_file: Option<PathBuf>,
    /// The only TLS version to offer. Default: 1.2 and 1.3.
    #[schemars(extend("enum" = ["1.2", "1.3"]))]
    pub version: Option<String>,
    /// IANA name of the only cipher suite to offer. Default: all supported cipher suites.
    pub cipher_suite: Option<String>,
    /// Whether to resume earlier sessions; the handshakes that do are reported separately.
    pub resumption: bool,
    /// Name that the certificate must be valid for. Default: the host of the URL.
    pub server_name: Option<String>,
}

impl TlsPlan {
    /// Returns the files of the client's own certificate and of its key; `None` without them.
    /// Returns an error if only one of them is given.
    pub fn own_certificate(&self) -> Result<Option<(PathBuf, PathBuf)>, PlanError> {
        match (&self.certificate_file, &self.key_file) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => Ok(Some((certificate.clone(), key.clone()))),
            _ => Err(PlanError::new(
                "tls: certificate_file and key_file need each other: set both",
            )),
        }
    }
}

/// The TCP settings of the client's sockets.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpPlan {
    /// Whether `TCP_NODELAY` is set.
    pub no_delay: bool,
    /// Send buffer of each socket (`SO_SNDBUF`), in bytes. Default: the kernel chooses.
    #[schemars(range(min = 1, max = BUFFER_BYTES_MAX))]
    pub send_buffer_bytes: Option<usize>,
    /// Receive buffer of each socket (`SO_RCVBUF`), in bytes. Default: the kernel chooses.
    #[schemars(range(min = 1, max = BUFFER_BYTES_MAX))]
    pub receive_buffer_bytes: Option<usize>,
    /// TCP congestion control algorithm, by the kernel's name for it. Default: the kernel chooses,
    /// but Reno to a loopback address.
    pub congestion_control: Option<String>,
    /// Number of frames written with one system call.
    pub frames_per_write: FramesPerWrite,
}

/// Maximum size of a socket buffer in a plan.
const BUFFER_BYTES_MAX: usize = 1 << 30;

impl TcpPlan {
    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        let buffers = [self.send_buffer_bytes, self.receive_buffer_bytes];
        let is_valid = |bytes: usize| (1..=BUFFER_BYTES_MAX).contains(&bytes);
        if buffers.into_iter().flatten().all(is_valid) {
            return Ok(());
        }
        Err(PlanError::new(
            "tcp: buffers must be from 1 to 1073741824 bytes",
        ))
    }
}

impl Default for TcpPlan {
    fn default() -> Self {
        Self {
            no_delay: true,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
            congestion_control: None,
            frames_per_write: FramesPerWrite::Many,
        }
    }
}

#[cfg(test)]
#[path = "tests/transport.rs"]
mod tests;
