//! The plans that the engine reads, format 1: `docs/format.md`.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use autostrada_measure::{Nanos, Rate, Schedule};
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
    /// Connections begun a second; all at once where it is not given.
    pub connect_rate_per_s: Option<f64>,
    /// Threads that share the connections.
    #[serde(default = "one")]
    pub threads: usize,
    /// For `wss://`.
    #[serde(default)]
    pub tls: TlsPlan,
    /// Give up after so many seconds.
    #[serde(default = "limit_s_default")]
    pub limit_s: u64,
}

/// What is wanted of TLS.
#[derive(Debug, Clone, Default, Deserialize)]
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
    /// Send, and be answered, with so many messages in flight: a closed loop.
    Echo {
        /// In flight on each connection.
        #[serde(default = "one")]
        window: usize,
        /// What each message is.
        #[serde(default = "payload_default")]
        payload: Payload,
        /// How long the parts of the trial take.
        phases: Phases,
    },
    /// Send when it is due, whatever is answered: an open loop.
    Bots {
        /// Over all connections.
        schedule: SchedulePlan,
        /// What each message is.
        #[serde(default = "payload_default")]
        payload: Payload,
        /// How long the parts of the trial take.
        phases: Phases,
    },
}

/// How long the parts of a trial take, in seconds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Opening all connections, at most.
    #[serde(default = "opening_s_default")]
    pub opening_s: f64,
    /// Before anything counts.
    #[serde(default)]
    pub warm_up_s: f64,
    /// What is due in it counts.
    pub window_s: f64,
    /// For the answers that are still to come, at most.
    #[serde(default = "drain_s_default")]
    pub drain_s: f64,
}

fn opening_s_default() -> f64 {
    60.0
}

fn drain_s_default() -> f64 {
    5.0
}

/// When messages are due.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SchedulePlan {
    /// The same rate for ever.
    Constant {
        /// Over all connections.
        rate_per_s: f64,
    },
    /// From one rate to another, which then holds.
    Ramp {
        /// At the start.
        from_per_s: f64,
        /// At the end.
        to_per_s: f64,
        /// How long it takes.
        over_s: f64,
    },
    /// Independent arrivals.
    Poisson {
        /// The mean, over all connections.
        rate_per_s: f64,
        /// The same seed makes the same arrivals.
        #[serde(default)]
        seed: u64,
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
        if self.connections == 0 || self.limit_s == 0 || self.threads == 0 {
            return Err(PlanError::new(
                "connections, threads and limit_s must be at least 1",
            ));
        }
        match &self.workload {
            LoadWorkload::Receive { messages, .. } => {
                if *messages == 0 {
                    return Err(PlanError::new("messages must be at least 1"));
                }
                if self.threads > 1 {
                    return Err(PlanError::new("receive has one thread: leave out threads"));
                }
            }
            LoadWorkload::Echo { window, phases, .. } => {
                if *window == 0 {
                    return Err(PlanError::new("window must be at least 1"));
                }
                phases.check()?;
            }
            LoadWorkload::Bots {
                schedule, phases, ..
            } => {
                schedule.schedule()?;
                phases.check()?;
            }
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
    /// Speak TLS, with this certificate.
    pub tls: Option<TlsFiles>,
}

/// A server's certificate chain and its key, both PEM.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub certificate_file: PathBuf,
    /// Its private key.
    pub key_file: PathBuf,
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
            tls: None,
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

impl Phases {
    fn check(&self) -> Result<(), PlanError> {
        let others = [self.opening_s, self.warm_up_s, self.drain_s];
        let is_time = |seconds: &f64| (0.0..=86_400.0).contains(seconds);
        if !others.iter().all(is_time) || !is_time(&self.window_s) || self.window_s == 0.0 {
            return Err(PlanError::new(
                "phases are seconds from 0 to 86400, and window_s is above 0",
            ));
        }
        Ok(())
    }
}

impl SchedulePlan {
    /// The schedule as a value.
    ///
    /// # Errors
    ///
    /// When a rate is zero or out of range.
    pub fn schedule(&self) -> Result<Schedule, PlanError> {
        let rate = |name: &str, rate_per_s: f64| {
            Rate::per_second(rate_per_s).map_err(|error| PlanError::new(format!("{name}: {error}")))
        };
        let rate_or_zero = |name: &str, rate_per_s: f64| {
            if rate_per_s == 0.0 {
                Ok(Rate::ZERO)
            } else {
                rate(name, rate_per_s)
            }
        };
        Ok(match *self {
            Self::Constant { rate_per_s } => Schedule::Constant {
                rate: rate("rate_per_s", rate_per_s)?,
            },
            Self::Ramp {
                from_per_s,
                to_per_s,
                over_s,
            } => Schedule::Ramp {
                from: rate_or_zero("from_per_s", from_per_s)?,
                to: rate("to_per_s", to_per_s)?,
                over_ns: nanos(over_s),
            },
            Self::Poisson { rate_per_s, seed } => Schedule::Poisson {
                rate: rate("rate_per_s", rate_per_s)?,
                seed,
            },
        })
    }
}

/// Seconds of a plan as nanoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion of floats saturates, and 584 years are enough"
)]
#[must_use]
pub fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9) as Nanos
}

/// A `ws://` or `wss://` address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Whether it is `wss://`.
    pub is_encrypted: bool,
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
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let is_encrypted = match scheme {
            "ws" => false,
            "wss" => true,
            _ => return Err(wrong()),
        };
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
            is_encrypted,
            authority: authority.to_owned(),
            path,
        })
    }

    /// The host without its port, as a certificate names it.
    #[must_use]
    pub fn host(&self) -> &str {
        let host = if self.has_port() {
            self.authority.rsplit_once(':').map_or("", |(host, _)| host)
        } else {
            &self.authority
        };
        host.trim_start_matches('[').trim_end_matches(']')
    }

    fn has_port(&self) -> bool {
        self.authority.rsplit_once(':').is_some_and(|(_, port)| {
            !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// Looks up the address; port 80, or 443 with TLS, where the URL names none.
    ///
    /// # Errors
    ///
    /// When the name is unknown.
    pub fn resolve(&self) -> Result<SocketAddr, PlanError> {
        if self.has_port() {
            resolve(&self.authority)
        } else {
            let port = if self.is_encrypted { 443 } else { 80 };
            resolve(&format!("{}:{port}", self.authority))
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
