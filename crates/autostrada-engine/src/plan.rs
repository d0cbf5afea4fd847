//! The plans that the engine reads, format 1: `docs/format.md`.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};

use serde::Deserialize;

/// The number that a plan's `format` must have.
pub const FORMAT: u32 = 1;

/// A plan, or a flag, that cannot be carried out: the user's to mend, exit status 2.
#[derive(Debug)]
pub struct PlanError(String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl PlanError {
    /// An error whose message names the remedy.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// What is sent, or expected, in each message.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// A text message.
    pub text: String,
}

/// What `load` does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPlan {
    format: u32,
    /// Where to connect.
    pub url: String,
    /// What to do there.
    pub workload: LoadWorkload,
    /// How many connections to open.
    #[serde(default = "one")]
    pub connections: usize,
    /// Give up after so many seconds.
    #[serde(default = "limit_s_default")]
    pub limit_s: u64,
}

/// The workloads of `load`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadWorkload {
    /// Receive and count.
    Receive {
        /// How many on each connection before closing it.
        messages: u64,
        /// What each must be; without it any message counts.
        payload: Option<Payload>,
    },
}

fn one() -> usize {
    1
}

fn limit_s_default() -> u64 {
    60
}

impl LoadPlan {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When the plan asks for what cannot be done.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        let LoadWorkload::Receive { messages, .. } = self.workload;
        if messages == 0 || self.connections == 0 || self.limit_s == 0 {
            return Err(PlanError::new(
                "messages, connections and limit_s must be at least 1",
            ));
        }
        Ok(())
    }
}

/// How many frames go into one system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FramesPerWrite {
    /// As many as the kernel takes.
    Many,
    /// One.
    One,
}

/// What `serve` does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServePlan {
    format: u32,
    /// `host:port`; port 0 takes a free one.
    #[serde(default = "listen_default")]
    pub listen: String,
    /// What to do for whoever connects.
    pub workload: ServeWorkload,
    /// End after so many connections, once open, have ended.
    pub connections: Option<u64>,
    /// Of the listening socket, as the kernel names it.
    pub congestion_control: Option<String>,
    /// Answer no opening handshake before an `observe` line has been read.
    #[serde(default)]
    pub hold_until_observing: bool,
}

/// The workloads of `serve`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ServeWorkload {
    /// `N` messages to whoever connects to `/N`.
    Push {
        /// The message.
        #[serde(default = "payload_default")]
        payload: Payload,
        /// How many go into one system call.
        #[serde(default = "frames_per_write_default")]
        frames_per_write: FramesPerWrite,
    },
}

fn listen_default() -> String {
    "127.0.0.1:8008".to_owned()
}

fn payload_default() -> Payload {
    Payload {
        text: "hello world".to_owned(),
    }
}

fn frames_per_write_default() -> FramesPerWrite {
    FramesPerWrite::Many
}

impl ServePlan {
    /// The plan that the flags of `serve` describe.
    #[must_use]
    pub fn push(listen: &str, text: &str, frames_per_write: FramesPerWrite) -> Self {
        Self {
            format: FORMAT,
            listen: listen.to_owned(),
            workload: ServeWorkload::Push {
                payload: Payload {
                    text: text.to_owned(),
                },
                frames_per_write,
            },
            connections: None,
            congestion_control: None,
            hold_until_observing: false,
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
        Ok(())
    }
}

fn check_format(format: u32) -> Result<(), PlanError> {
    if format == FORMAT {
        return Ok(());
    }
    Err(PlanError::new(format!(
        "the plan has format {format}, this engine reads format {FORMAT}: \
         use the autostrada and the autostrada-engine of one release"
    )))
}

/// A `ws://` address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// For the `Host` header: with the port, as written.
    pub authority: String,
    /// With the query; `/` where the URL has none.
    pub path: String,
}

impl Url {
    /// Reads `ws://host:port/path`.
    ///
    /// # Errors
    ///
    /// When it is something else.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::new(format!("{text:?} is not ws://host:port/path"));
        let rest = text.strip_prefix("ws://").ok_or_else(wrong)?;
        let (authority, path) = match rest.find(['/', '?']) {
            Some(end) if rest.as_bytes()[end] == b'/' => (&rest[..end], rest[end..].to_owned()),
            Some(end) => (&rest[..end], format!("/{}", &rest[end..])),
            None => (rest, "/".to_owned()),
        };
        let has_blank = text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#');
        if authority.is_empty() || authority.contains('@') || has_blank {
            return Err(wrong());
        }
        Ok(Self {
            authority: authority.to_owned(),
            path,
        })
    }

    /// Looks up the address; port 80 where the URL names none.
    ///
    /// # Errors
    ///
    /// When the name is unknown.
    pub fn resolve(&self) -> Result<SocketAddr, PlanError> {
        let has_port = self
            .authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        if has_port {
            resolve(&self.authority)
        } else {
            resolve(&format!("{}:80", self.authority))
        }
    }
}

/// Looks up `host:port`.
///
/// # Errors
///
/// When it is not of that form, or the name is unknown.
pub fn resolve(address: &str) -> Result<SocketAddr, PlanError> {
    let wrong = |cause: &str| PlanError::new(format!("{address:?} is no host:port: {cause}"));
    address
        .to_socket_addrs()
        .map_err(|error| wrong(&error.to_string()))?
        .next()
        .ok_or_else(|| wrong("the name has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_a_url_apart() {
        for (text, authority, path) in [
            ("ws://127.0.0.1:8008/10", "127.0.0.1:8008", "/10"),
            ("ws://localhost", "localhost", "/"),
            ("ws://[::1]:80?x=/", "[::1]:80", "/?x=/"),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(
                (url.authority.as_str(), url.path.as_str()),
                (authority, path)
            );
        }
    }

    #[test]
    fn refuses_what_is_no_ws_url() {
        for text in [
            "",
            "ws://",
            "http://a/",
            "ws:///x",
            "ws://a b/",
            "ws://a/\r\nX: y",
            "ws://u@h/",
        ] {
            assert!(Url::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_unknown_key_or_format_is_refused() {
        let plan = r#"{"format": 1, "workload": {"kind": "push", "speed": 3}}"#;
        let error = serde_json::from_str::<ServePlan>(plan).unwrap_err();
        assert!(error.to_string().contains("speed"), "{error}");
        let plan = r#"{"format": 2, "workload": {"kind": "push"}}"#;
        let plan: ServePlan = serde_json::from_str(plan).unwrap();
        assert!(plan.check().unwrap_err().to_string().contains("format 2"));
    }

    #[test]
    fn a_plan_for_nothing_is_refused() {
        let plan = r#"{"format":1,"url":"ws://h/","workload":{"kind":"receive","messages":0}}"#;
        let plan: LoadPlan = serde_json::from_str(plan).unwrap();
        assert!(plan.check().is_err());
    }
}
