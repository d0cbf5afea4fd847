//! The plan of `serve`.

mod fault;
mod feed;
mod grant;
mod message;
mod ping;
mod protocol;

use std::path::PathBuf;

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{FORMAT, FramesPerWrite, PlanError, check_format, nanos};

pub use fault::{FaultPlan, Stall};
pub use feed::{FeedEncodingName, FeedKindName, FeedPlan};
pub use grant::{AcceptedTcp, GrantedCompression};
pub use message::ServePayload;
pub use ping::PingPlan;
use protocol::ServeProtocol;
pub use protocol::ServeProtocolKind;

/// The maximum number of threads of a plan; a larger number is a typing error.
const THREADS_MAX: usize = 1024;

/// The maximum duration of a push, in seconds: a day.
const PUSH_SECONDS_MAX: f64 = 86_400.0;

/// The plan of `serve --plan`: the engine is the server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServePlan {
    /// Version of the format of plans and lines.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// Address to listen on, as `host:port`; port 0 selects a free port.
    #[serde(default = "listen_default")]
    pub listen: String,
    /// The protocol of all connections. Default: WebSocket.
    #[serde(default)]
    pub protocol: ServeProtocol,
    /// The workload of the server.
    pub workload: ServeWorkload,
    /// The feed of connections to `/feed`. Default: there is no `/feed`.
    pub feed: Option<FeedPlan>,
    /// Number of threads, among which the connections are divided evenly. If there are several,
    /// each uses its own table of file descriptors, if the system permits it.
    #[serde(default = "threads_default")]
    #[schemars(range(min = 1, max = THREADS_MAX))]
    pub threads: usize,
    /// Number of connections after which the server exits: connections that were open and have
    /// ended. Default: the server runs until it is stopped.
    #[schemars(range(min = 1))]
    pub connections: Option<u64>,
    /// Whether commands on stdin divide the push into slices: after the opening handshake nothing is
    /// sent, and the line `opened` is printed; then the commands are `slice` and `end`. Requires
    /// `connections` 1, one thread and `workload.pings`, and excludes `workload.seconds`, `feed` and
    /// `faults`.
    #[serde(default)]
    pub slices: bool,
    /// Supported subprotocols; a client that offers one of them is granted one. Requires protocol
    /// `websocket`.
    #[serde(default)]
    pub subprotocols: Vec<String>,
    /// Accept permessage-deflate (RFC 7692) if a client offers it. Requires protocol `websocket`.
    /// Default: offers are declined.
    pub compression: Option<GrantedCompression>,
    /// TCP congestion control algorithm of the listening socket, by the kernel's name for it.
    /// Default: the kernel chooses.
    pub congestion_control: Option<String>,
    /// TCP settings of accepted sockets. Default: the defaults of its keys.
    #[serde(default)]
    pub tcp: AcceptedTcp,
    /// Whether opening handshakes are answered only after an `observe` command was read.
    #[serde(default)]
    pub hold_until_observing: bool,
    /// File to which the addresses of the first 256 accepted connections are appended, as commands
    /// of `observe`: `/proc/PID/fd/0` is the stdin of the observer with this identifier. Default:
    /// addresses are not reported.
    pub observer: Option<PathBuf>,
    /// Certificate and key for TLS. Default: connections are not encrypted.
    pub tls: Option<TlsFiles>,
    /// Fault injection. Default: no faults.
    pub faults: Option<FaultPlan>,
}

/// The certificate chain and the private key of the server, as PEM files.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// Path of the certificate chain, the certificate of the server first.
    pub certificate_file: PathBuf,
    /// Path of the private key of that certificate.
    pub key_file: PathBuf,
}

/// The workload of the server, selected by `kind`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ServeWorkload {
    /// Send `N` messages on each connection to `/N`, each received message back on connections to
    /// `/echo`, and the feed on connections to `/feed`.
    Push {
        /// The message of `/N`. Default: the text `hello world`.
        #[serde(default)]
        payload: ServePayload,
        /// Number of frames written with one system call, on `/N` and for a feed without an
        /// interval.
        #[serde(default)]
        frames_per_write: FramesPerWrite,
        /// Minimum duration of a push, in seconds after the opening handshake: when `N` messages
        /// are sent, further ones follow until then, and the server closes the connection with
        /// code 1000. Default: the server sends `N` messages, and the client closes.
        #[schemars(extend("exclusiveMinimum" = 0), range(max = PUSH_SECONDS_MAX))]
        seconds: Option<f64>,
        /// Pings between the messages, whose pongs are the `marks` of the result. Default: none.
        pings: Option<PingPlan>,
    },
}

impl ServeWorkload {
    /// Returns the minimum duration of a push; `None` if it ends by messages alone.
    pub fn push_ns(&self) -> Option<Nanos> {
        let Self::Push { seconds, .. } = self;
        seconds.map(nanos)
    }

    /// Returns the pings between the messages of a push; `None` without any.
    pub fn pings(&self) -> Option<&PingPlan> {
        let Self::Push { pings, .. } = self;
        pings.as_ref()
    }

    fn check(&self, protocol: ServeProtocolKind) -> Result<(), PlanError> {
        let Self::Push {
            payload,
            seconds,
            pings,
            ..
        } = self;
        let is_duration = |seconds: f64| seconds > 0.0 && seconds <= PUSH_SECONDS_MAX;
        if !seconds.is_none_or(is_duration) {
            return Err(PlanError::new(
                "workload.seconds must be above 0, and at most a day",
            ));
        }
        if let Some(pings) = pings {
            pings.check(protocol)?;
        }
        payload.check(protocol)
    }
}

fn listen_default() -> String {
    "127.0.0.1:8008".to_owned()
}

fn threads_default() -> usize {
    1
}

impl ServePlan {
    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        if self.connections == Some(0) {
            return Err(PlanError::new("connections must be at least 1"));
        }
        if !(1..=THREADS_MAX).contains(&self.threads) {
            let message = format!("threads must be from 1 to {THREADS_MAX}");
            return Err(PlanError::new(message));
        }
        self.workload.check(self.protocol.kind)?;
        self.check_slices()?;
        self.check_grants()?;
        if let Some(feed) = &self.feed {
            feed.check(self.threads)?;
        }
        if let Some(faults) = &self.faults {
            faults.check(self.protocol.kind, self.threads)?;
        }
        Ok(())
    }

    fn check_slices(&self) -> Result<(), PlanError> {
        let is_possible = self.connections == Some(1)
            && self.threads == 1
            && self.workload.pings().is_some()
            && self.workload.push_ns().is_none()
            && self.feed.is_none()
            && self.faults.is_none();
        if self.slices && !is_possible {
            return Err(PlanError::new(
                "slices needs connections 1, one thread and workload.pings: set them, and remove \
                 workload.seconds, feed and faults",
            ));
        }
        Ok(())
    }

    fn check_grants(&self) -> Result<(), PlanError> {
        let is_web_socket = self.protocol.kind == ServeProtocolKind::Websocket;
        if !is_web_socket && (self.compression.is_some() || !self.subprotocols.is_empty()) {
            return Err(PlanError::new(
                "compression and subprotocols need protocol.kind \"websocket\": \
                 remove them, or change the protocol",
            ));
        }
        if let Some(name) = self.subprotocols.iter().find(|name| !is_token(name)) {
            return Err(PlanError::new(format!(
                "subprotocols: {name:?} is not a token of RFC 9110: \
                 use letters, digits and any of !#$%&'*+-.^_`|~"
            )));
        }
        if let Some(compression) = &self.compression {
            compression.check()?;
        }
        self.tcp.check()
    }
}

/// Whether a text is a token: RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_of_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_of_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_done_is_refused_with_the_key() {
        for (settings, key) in [
            (r#""slices": true, "connections": 1"#, "workload.pings"),
            (r#""slices": true"#, "connections"),
            (r#""subprotocols": ["a b"]"#, "subprotocols"),
            (
                r#""protocol": {"kind": "framed-tcp"}, "compression": {}"#,
                "compression",
            ),
        ] {
            let plan = format!(r#"{{"format": 2, "workload": {{"kind": "push"}}, {settings}}}"#);
            let plan: ServePlan = serde_json::from_str(&plan).unwrap();
            let error = plan.check().unwrap_err().to_string();
            assert!(error.contains(key), "{settings}: {error}");
        }
    }
}
