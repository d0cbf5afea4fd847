//! What `serve` does.

mod fault;
mod feed;
mod grant;
mod message;
mod protocol;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FORMAT, PlanError, check_format};

pub use fault::{FaultPlan, Stall};
pub use feed::{FeedEncodingName, FeedKindName, FeedPlan};
pub use grant::{AcceptedTcp, GrantedCompression};
pub use message::ServePayload;
pub use protocol::{ServeProtocol, ServeProtocolKind};

/// The most threads that a plan may ask for: more is a typing error.
const THREADS_MAX: usize = 1024;

/// How many frames the server writes with one system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FramesPerWrite {
    /// As many as the kernel takes.
    Many,
    /// One.
    One,
}

/// The plan of `serve --plan`: the engine is the server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServePlan {
    /// The number of the format of plans and lines.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// The address to listen on, `host:port`; port 0 takes a free port.
    #[serde(default = "listen_default")]
    pub listen: String,
    /// The protocol of all connections. Without it, WebSocket.
    #[serde(default)]
    pub protocol: ServeProtocol,
    /// What the server does for each connection.
    pub workload: ServeWorkload,
    /// The feed of connections to `/feed`. Without it there is no `/feed`.
    pub feed: Option<FeedPlan>,
    /// Threads that share the connections evenly. Each of several has a table of file descriptors
    /// of its own, where the system provides one.
    #[serde(default = "threads_default")]
    #[schemars(range(min = 1, max = THREADS_MAX))]
    pub threads: usize,
    /// End when this many connections that were open have ended. Without it, the server does not
    /// end by itself.
    #[schemars(range(min = 1))]
    pub connections: Option<u64>,
    /// Subprotocols; one is granted to a client that asks for it. Of `websocket` only.
    #[serde(default)]
    pub subprotocols: Vec<String>,
    /// Accept permessage-deflate (RFC 7692) where a client offers it. Of `websocket` only. Without
    /// it, offers are declined.
    pub compression: Option<GrantedCompression>,
    /// The congestion control of the listening socket, by the kernel's name. Without it, the kernel
    /// chooses.
    pub congestion_control: Option<String>,
    /// TCP settings of the accepted sockets. Without it, the defaults of its keys.
    #[serde(default)]
    pub tcp: AcceptedTcp,
    /// Answer no opening handshake before an `observe` command has been read.
    #[serde(default)]
    pub hold_until_observing: bool,
    /// Speak TLS with this certificate. Without it, connections are not encrypted.
    pub tls: Option<TlsFiles>,
    /// Misbehave by a known amount. Without it, the server has no faults.
    pub faults: Option<FaultPlan>,
}

/// The certificate chain and the private key of the server, both PEM.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The path of the certificate chain, the certificate of the server first.
    pub certificate_file: PathBuf,
    /// The path of its private key.
    pub key_file: PathBuf,
}

/// What the server does; `kind` says which.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ServeWorkload {
    /// Send `N` messages to each connection to `/N`, every message back on connections to `/echo`,
    /// and the feed to connections to `/feed`.
    Push {
        /// The message of `/N`. Without it, the text `hello world`.
        #[serde(default)]
        payload: ServePayload,
        /// How many frames are written with one system call, also of a feed without an interval.
        #[serde(default = "frames_per_write_default")]
        frames_per_write: FramesPerWrite,
    },
}

fn listen_default() -> String {
    "127.0.0.1:8008".to_owned()
}

fn threads_default() -> usize {
    1
}

fn frames_per_write_default() -> FramesPerWrite {
    FramesPerWrite::Many
}

impl ServePlan {
    /// The plan that the flags of `serve` describe, as far as they always have a value.
    #[must_use]
    pub fn push(listen: &str, text: &str, frames_per_write: FramesPerWrite) -> Self {
        Self {
            format: FORMAT,
            listen: listen.to_owned(),
            protocol: ServeProtocol::default(),
            workload: ServeWorkload::Push {
                payload: ServePayload::text(text),
                frames_per_write,
            },
            feed: None,
            threads: 1,
            connections: None,
            subprotocols: Vec::new(),
            compression: None,
            congestion_control: None,
            tcp: AcceptedTcp::default(),
            hold_until_observing: false,
            tls: None,
            faults: None,
        }
    }

    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When the plan asks for what cannot be done.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        if self.connections == Some(0) {
            return Err(PlanError::new("connections must be at least 1"));
        }
        if !(1..=THREADS_MAX).contains(&self.threads) {
            let message = format!("threads must be from 1 to {THREADS_MAX}");
            return Err(PlanError::new(message));
        }
        let ServeWorkload::Push { payload, .. } = &self.workload;
        payload.check(self.protocol.kind)?;
        self.check_grants()?;
        if let Some(feed) = &self.feed {
            feed.check(self.threads)?;
        }
        if let Some(faults) = &self.faults {
            faults.check(self.protocol.kind, self.threads)?;
        }
        Ok(())
    }

    fn check_grants(&self) -> Result<(), PlanError> {
        let is_web_socket = self.protocol.kind == ServeProtocolKind::Websocket;
        if !is_web_socket && (self.compression.is_some() || !self.subprotocols.is_empty()) {
            return Err(PlanError::new(
                "compression and subprotocols belong to protocol.kind \"websocket\": \
                 leave them out, or speak that",
            ));
        }
        if let Some(name) = self.subprotocols.iter().find(|name| !is_token(name)) {
            return Err(PlanError::new(format!(
                "subprotocols: {name:?} is no token of RFC 9110: \
                 use letters, digits and any of !#$%&'*+-.^_`|~"
            )));
        }
        if let Some(compression) = &self.compression {
            compression.check()?;
        }
        self.tcp.check()
    }
}

/// Whether a text may stand in a field that is a list of names: RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_of_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_of_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(plan: &str) -> String {
        let plan: ServePlan = serde_json::from_str(plan).unwrap();
        plan.check().unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_key_or_format_is_refused() {
        let plan = r#"{"format": 2, "workload": {"kind": "push", "speed": 3}}"#;
        let error = serde_json::from_str::<ServePlan>(plan).unwrap_err();
        assert!(error.to_string().contains("speed"), "{error}");
        let error = error_of(r#"{"format": 1, "workload": {"kind": "push"}}"#);
        assert!(error.contains("format 1"), "{error}");
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_the_key() {
        for (settings, key) in [
            (r#""connections": 0"#, "connections"),
            (r#""threads": 0"#, "threads"),
            (r#""subprotocols": ["a b"]"#, "subprotocols"),
            (r#""compression": {"level": 10}"#, "compression.level"),
            (
                r#""compression": {"server_max_window_bits": 8}"#,
                "server_max_window_bits",
            ),
            (
                r#""protocol": {"kind": "framed-tcp"}, "compression": {}"#,
                "compression",
            ),
            (r#""tcp": {"send_buffer_bytes": 0}"#, "send_buffer_bytes"),
        ] {
            let plan = format!(r#"{{"format": 2, "workload": {{"kind": "push"}}, {settings}}}"#);
            let error = error_of(&plan);
            assert!(error.contains(key), "{settings}: {error}");
        }
    }
}
