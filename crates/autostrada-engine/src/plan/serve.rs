//! What `serve` does.

use std::path::PathBuf;

use serde::Deserialize;

use super::{FORMAT, Payload, PlanError, check_format, payload_default};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_or_format_is_refused() {
        let plan = r#"{"format": 1, "workload": {"kind": "push", "speed": 3}}"#;
        let error = serde_json::from_str::<ServePlan>(plan).unwrap_err();
        assert!(error.to_string().contains("speed"), "{error}");
        let plan = r#"{"format": 2, "workload": {"kind": "push"}}"#;
        let plan: ServePlan = serde_json::from_str(plan).unwrap();
        assert!(plan.check().unwrap_err().to_string().contains("format 2"));
    }
}
