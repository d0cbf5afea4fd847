//! The options of messages and of what answers them.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cmd::load::quantity::{Bytes, Count};
use crate::plan::PlanError;

const MESSAGE_HELP: &str = "\
Text of each message [default: hello world]; {{seq}}, {{now_ns}}, {{connection}}, {{uuid}} and the \
columns of --users are replaced";

/// What is sent.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct MessageFlags {
    /// Text of each message; parts in double braces are replaced.
    #[arg(short, long, value_name = "TEXT", help = MESSAGE_HELP)]
    pub message: Option<String>,

    /// Messages from a file, one a line, in turn on each connection; {{seq}} and the others are
    /// replaced.
    #[arg(long, value_name = "FILE")]
    pub message_file: Option<PathBuf>,

    /// Send the file as binary messages of this many bytes, as audio with --every 20ms.
    #[arg(long, value_name = "BYTES")]
    pub chunk: Option<Bytes>,

    /// Random messages of this many bytes.
    #[arg(long, value_name = "BYTES")]
    pub size: Option<Bytes>,

    /// What answers a message: next (the next message), none, same (the next message, which must
    /// be equal), ack (its acknowledgement, of Socket.IO), the message with the same value in it:
    /// json:$.id, prefix:BYTES or regex:PATTERN, or all messages until one that matches:
    /// until:PATTERN; or nothing, and the time of each received message counts from the instant in
    /// it, when it was sent: time:$.t [default: next].
    #[arg(long, value_name = "WHAT", value_parser = reply)]
    pub reply: Option<Value>,

    /// With --reply time:PATH: connections that each message is for, as the members of a room
    /// [default: all, if a message reaches all].
    #[arg(long, value_name = "N")]
    pub receivers: Option<Count>,

    /// Users, one a row of a CSV file: {{COLUMN}} in messages, header fields, cookies and the URL is
    /// replaced by the value of the connection's user.
    #[arg(long, value_name = "CSV")]
    pub users: Option<PathBuf>,

    /// Send binary messages.
    #[arg(long)]
    pub binary: bool,
}

impl MessageFlags {
    /// Says after a comma what answers a message; nothing if the next one does.
    pub fn reply_words(&self) -> String {
        let kind = self.reply.as_ref().and_then(|reply| reply["kind"].as_str());
        kind.filter(|kind| *kind != "next")
            .map_or_else(String::new, |kind| format!(", --reply {kind}"))
    }

    /// Refuses receivers of messages that have no instant.
    pub fn check(&self) -> Result<(), PlanError> {
        match self.receivers {
            Some(Count(0)) => Err(PlanError::new("--receivers must be at least 1")),
            Some(_) if self.reply()["kind"] != "time" => Err(PlanError::new(
                "--receivers needs --reply time:PATH, the instant in a message: add it",
            )),
            _ => Ok(()),
        }
    }

    /// Returns what answers a message, as the plan has it.
    pub fn reply(&self) -> Value {
        let reply = self.reply.as_ref().filter(|_| !self.is_acknowledged());
        let mut reply = reply.cloned().unwrap_or(json!({"kind": "next"}));
        if let Some(Count(receivers)) = self.receivers {
            reply["receivers"] = json!(receivers);
        }
        reply
    }

    /// Returns the payload of the plan.
    pub fn payload(&self) -> Value {
        let kind = if self.binary { "binary" } else { "text" };
        if let (Some(path), Some(Bytes(bytes))) = (&self.message_file, self.chunk) {
            json!({"file": path, "chunk_bytes": bytes, "type": "binary", "template": false})
        } else if let Some(path) = &self.message_file {
            json!({"file": path, "type": kind, "template": !self.is_checked()})
        } else if let Some(Bytes(bytes)) = self.size {
            json!({"random_bytes": bytes, "type": kind})
        } else {
            let text = self.message.as_deref().unwrap_or("hello world");
            let template = text.contains("{{") && !self.is_checked();
            json!({"text": text, "type": kind, "template": template})
        }
    }

    /// Whether acknowledgements answer, which the protocol of the plan says.
    pub fn is_acknowledged(&self) -> bool {
        let reply = self.reply.as_ref();
        reply.is_some_and(|reply| reply["kind"] == "ack")
    }

    /// Whether a message that is JSON is this value.
    pub fn may_be_json(&self) -> bool {
        let has_text = self.message.is_some() || self.message_file.is_some();
        has_text && !self.binary && !self.is_checked()
    }

    /// Whether answers must equal messages, which are then sent as they are.
    fn is_checked(&self) -> bool {
        let reply = self.reply.as_ref();
        reply.is_some_and(|reply| reply["kind"] == "same")
    }
}

/// Parses what answers a message: `next`, `json:$.id`, `prefix:8`.
fn reply(text: &str) -> Result<Value, String> {
    let (kind, value) = text.split_once(':').unwrap_or((text, ""));
    match (kind, value) {
        ("next" | "none" | "same" | "ack", "") => Ok(json!({"kind": kind})),
        ("json" | "time", path) => Ok(json!({"kind": kind, "path": path})),
        ("regex" | "until", pattern) => Ok(json!({"kind": kind, "pattern": pattern})),
        ("prefix", bytes) => match bytes.parse::<usize>() {
            Ok(bytes) => Ok(json!({"kind": kind, "bytes": bytes})),
            Err(_) => Err(format!(
                "{bytes:?} is not a number of bytes such as prefix:8"
            )),
        },
        _ => Err(format!(
            "{text:?} is not a reply: next, none, same, ack, json:$.id, prefix:8, regex:PATTERN, \
             until:PATTERN or time:$.t"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_replies_are_refused() {
        for text in ["", "first", "next:1", "prefix:x"] {
            assert!(reply(text).is_err(), "{text}");
        }
    }
}
