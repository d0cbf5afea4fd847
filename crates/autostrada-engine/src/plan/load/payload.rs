//! The messages of a plan.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// Maximum length of a message.
const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The messages. Exactly one of `text`, `base64`, `random_bytes` and `file` is required. A message
/// has at most 16 MiB.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PayloadPlan {
    /// Text of each message.
    text: Option<String>,
    /// Bytes of each message, encoded in base64.
    base64: Option<String>,
    /// Length of each message in bytes, without its stamp, with random content. Random binary
    /// messages do not compress; a random text has letters and digits, and compression shortens it
    /// by a quarter.
    #[schemars(range(max = MESSAGE_BYTES_MAX))]
    random_bytes: Option<usize>,
    /// Path of a file whose lines are the messages, sent in turn on each connection.
    file: Option<PathBuf>,
    /// Length of each message in bytes if `file` is sent in chunks instead of lines; the last one
    /// is shorter.
    #[schemars(range(min = 1, max = MESSAGE_BYTES_MAX))]
    chunk_bytes: Option<usize>,
    /// Type of the messages. Default: `text` for `text` and for the lines of `file`, otherwise
    /// `binary`.
    #[serde(rename = "type")]
    kind: Option<MessageKind>,
    /// Seed of `random_bytes`: the same seed generates the same messages.
    pub seed: u64,
    /// Whether each message begins with a stamp: its number on the connection, from 0, and the
    /// instant at which it was due, in nanoseconds. In a text, the stamp is two numbers of 20
    /// digits, each followed by a space; in a binary message, two big-endian numbers of 8 bytes.
    pub stamped: bool,
    /// Whether parts of the messages in double braces are replaced: `{{seq}}` by the number on the
    /// connection, from 0, `{{now_ns}}` by the nanoseconds since 1970 at which the message is sent,
    /// `{{connection}}` by the index of the connection, from 0, `{{uuid}}` by a random UUID, and the
    /// name of a column of `users` by the value of the connection's user.
    pub template: bool,
    /// Maximum payload of a frame in bytes: longer messages are sent as fragments of this length.
    /// Default: each message is one frame.
    #[schemars(range(min = 1))]
    pub fragment_bytes: Option<usize>,
}

/// The type of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageKind {
    /// A text message; its payload must be valid UTF-8.
    Text,
    /// A binary message with any bytes.
    Binary,
}

/// The source of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// One message, or several that are sent in turn; never empty.
    Given(Vec<Vec<u8>>),
    /// Random messages.
    Random {
        /// Length of each message.
        bytes: usize,
    },
}

impl PayloadPlan {
    /// Returns the default message, the text `hello world`.
    pub fn hello() -> Self {
        Self {
            text: Some("hello world".to_owned()),
            ..Self::default()
        }
    }

    /// Returns the type of the messages.
    pub fn kind(&self) -> MessageKind {
        let has_lines = self.file.is_some() && self.chunk_bytes.is_none();
        let is_text = self.text.is_some() || has_lines;
        self.kind.unwrap_or(if is_text {
            MessageKind::Text
        } else {
            MessageKind::Binary
        })
    }

    /// Reads and checks the source of the messages.
    /// Returns an error if not exactly one source is given, it cannot be read, a message is too
    /// long, or a text is not UTF-8.
    pub fn source(&self) -> Result<Source, PlanError> {
        let source = match (&self.text, &self.base64, self.random_bytes, &self.file) {
            (Some(text), None, None, None) => Source::Given(vec![text.clone().into_bytes()]),
            (None, Some(base64), None, None) => Source::Given(vec![decode_base64(base64)?]),
            (None, None, Some(bytes), None) => Source::Random { bytes },
            (None, None, None, Some(path)) => Source::Given(match self.chunk_bytes {
                None => read_lines(path)?,
                Some(bytes) => read_chunks(path, bytes)?,
            }),
            _ => {
                return Err(PlanError::new(
                    "payload: set exactly one of text, base64, random_bytes and file",
                ));
            }
        };
        self.check(&source)?;
        Ok(source)
    }

    /// Returns the message that each received message must equal.
    /// Returns an error if the payload is not exactly one message of known content.
    pub fn expected(&self) -> Result<Vec<u8>, PlanError> {
        let invalid_expectation =
            || PlanError::new("payload: an expected message must be one text, or one in base64");
        if self.stamped || self.template || self.fragment_bytes.is_some() {
            return Err(invalid_expectation());
        }
        match self.source()? {
            Source::Given(messages) => {
                let [message] = <[_; 1]>::try_from(messages).map_err(|_| invalid_expectation())?;
                Ok(message)
            }
            Source::Random { .. } => Err(invalid_expectation()),
        }
    }

    fn check(&self, source: &Source) -> Result<(), PlanError> {
        if self.fragment_bytes == Some(0) {
            return Err(PlanError::new("payload.fragment_bytes must be at least 1"));
        }
        if self.chunk_bytes.is_some() && self.file.is_none() {
            return Err(PlanError::new("payload.chunk_bytes needs file: set it"));
        }
        let longest_bytes = match source {
            Source::Given(messages) => messages.iter().map(Vec::len).max().unwrap_or(0),
            Source::Random { bytes } => *bytes,
        };
        if longest_bytes > MESSAGE_BYTES_MAX {
            return Err(PlanError::new(format!(
                "payload: a message has {longest_bytes} bytes; the maximum is {MESSAGE_BYTES_MAX}"
            )));
        }
        let Source::Given(messages) = source else {
            return Ok(());
        };
        let is_utf8 = |message: &Vec<u8>| std::str::from_utf8(message).is_ok();
        if self.kind() == MessageKind::Text && !messages.iter().all(is_utf8) {
            return Err(PlanError::new(
                "payload: a text must be UTF-8; set \"type\" to \"binary\" for other bytes",
            ));
        }
        Ok(())
    }
}

fn decode_base64(text: &str) -> Result<Vec<u8>, PlanError> {
    use base64::engine::{Engine, general_purpose::STANDARD};
    STANDARD
        .decode(text)
        .map_err(|error| PlanError::new(format!("payload.base64: {error}")))
}

fn wrong_file(path: &Path, cause: &dyn std::fmt::Display) -> PlanError {
    PlanError::new(format!("payload.file: {}: {cause}", path.display()))
}

fn read_lines(path: &Path) -> Result<Vec<Vec<u8>>, PlanError> {
    let bytes = std::fs::read(path).map_err(|error| wrong_file(path, &error))?;
    let lines: Vec<_> = bytes
        .strip_suffix(b"\n")
        .unwrap_or(&bytes)
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
        .collect();
    if bytes.is_empty() {
        let cause = "the file is empty: write one message per line";
        return Err(wrong_file(path, &cause));
    }
    Ok(lines)
}

fn read_chunks(path: &Path, chunk_bytes: usize) -> Result<Vec<Vec<u8>>, PlanError> {
    if chunk_bytes == 0 {
        return Err(PlanError::new("payload.chunk_bytes must be at least 1"));
    }
    let bytes = std::fs::read(path).map_err(|error| wrong_file(path, &error))?;
    if bytes.is_empty() {
        return Err(wrong_file(
            path,
            &"the file is empty: there is nothing to send",
        ));
    }
    Ok(bytes.chunks(chunk_bytes).map(<[u8]>::to_vec).collect())
}

#[cfg(test)]
#[path = "tests/payload.rs"]
mod tests;
