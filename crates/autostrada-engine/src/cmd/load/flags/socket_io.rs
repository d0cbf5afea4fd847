//! The options of Socket.IO.

use clap::Args;
use serde_json::{Value, json};

use super::message::MessageFlags;
use super::object;

/// What users of Socket.IO give to `io` and `emit`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Socket.IO, with a URL that begins with http:// or https://")]
pub struct SocketIoFlags {
    /// Event as which each message is emitted [default: message]; its argument is the message, as the
    /// value that it is if it is JSON.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,

    /// Namespace to connect to [default: /].
    #[arg(long, value_name = "/NAME")]
    namespace: Option<String>,

    /// Credentials of each connection, as the server's socket.handshake.auth; parts in double braces
    /// are replaced as in messages.
    #[arg(long, value_name = "JSON")]
    auth: Option<String>,
}

impl SocketIoFlags {
    /// Returns the name of an option that is given; `None` if none is.
    pub fn given(&self) -> Option<&'static str> {
        let event = self.event.as_ref().map(|_| "--event");
        let namespace = self.namespace.as_ref().map(|_| "--namespace");
        event.or(namespace).or(self.auth.as_ref().map(|_| "--auth"))
    }

    /// Returns the protocol of the plan.
    pub fn protocol(&self, message: &MessageFlags) -> Value {
        object([
            ("kind", json!("socket-io")),
            ("event", json!(self.event)),
            ("namespace", json!(self.namespace)),
            ("auth", json!(self.auth)),
            (
                "acknowledge",
                json!(message.is_acknowledged().then_some(true)),
            ),
            ("json", json!(message.may_be_json().then_some(true))),
        ])
    }
}
