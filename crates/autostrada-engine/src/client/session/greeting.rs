//! What a connection sends when it opens: credentials of Socket.IO, and messages before the workload.

use std::sync::Arc;

use autostrada_proto::frame::Opcode;
use autostrada_proto::socket_io::Packet;
use serde_json::value::RawValue;

use crate::client::plan::LoadPlan;
use crate::client::sending::{Encoding, Outbox};
use crate::client::template::{Parts, Template};
use crate::plan::{PlanError, ProtocolPlan, Users};

const AUTH: &str = r#"auth (--auth): write a JSON object such as {"token":"abc"}"#;

const ON_OPEN: &str = "\
on_open (--on-open): write the name of an event and its arguments as a JSON array such as \
[\"join\",{\"room\":\"a\"}]";

/// What each connection sends when it opens, with parts that differ between connections.
#[derive(Debug)]
pub struct Greeting {
    /// The credentials of Socket.IO.
    auth: Option<Template>,
    messages: Vec<Template>,
    users: Option<Arc<Users>>,
}

impl Greeting {
    /// Compiles the greeting of the plan, and checks that of each user.
    /// Returns an error without any value of a user if a part in double braces is unknown, the
    /// credentials are not a JSON object, or a message over Socket.IO does not describe an event.
    pub fn new(plan: &LoadPlan, users: Option<Arc<Users>>) -> Result<Self, PlanError> {
        let columns = users.as_ref().map_or(&[][..], |users| &users.columns);
        let compile = |name: &str, text: &String| {
            Template::compile(text.as_bytes(), columns)
                .map_err(|error| PlanError::new(format!("{name}: {error}")))
        };
        let (auth, is_socket_io) = match &plan.protocol {
            ProtocolPlan::SocketIo(plan) => (plan.auth.as_ref(), true),
            _ => (None, false),
        };
        let messages = plan.on_open.iter().map(|text| compile("on_open", text));
        let greeting = Self {
            auth: auth.map(|text| compile("auth", text)).transpose()?,
            messages: messages.collect::<Result<_, _>>()?,
            users,
        };
        greeting.check(is_socket_io)?;
        Ok(greeting)
    }

    /// Checks the greeting of each user, or of the first connection.
    fn check(&self, is_socket_io: bool) -> Result<(), PlanError> {
        let users = self.users.as_ref();
        for connection in 0..users.map_or(1, |users| users.count()) {
            let of_user = |error: PlanError| match users {
                Some(_) => PlanError::new(format!("users: user {}: {error}", connection + 1)),
                None => error,
            };
            if let Some(auth) = &self.auth {
                check('0', '{', &self.written(auth, connection), AUTH).map_err(of_user)?;
            }
            for text in self.messages.iter().filter(|_| is_socket_io) {
                check('2', '[', &self.written(text, connection), ON_OPEN).map_err(of_user)?;
            }
        }
        Ok(())
    }

    /// Returns the credentials of a connection, by its index among all; `None` if it has none.
    pub fn auth(&self, connection: u64) -> Option<Box<RawValue>> {
        let text = self.written(self.auth.as_ref()?, connection);
        Some(RawValue::from_string(text).expect("the credentials of each user were checked"))
    }

    /// Appends the messages of a connection, by its index among all, that has opened.
    pub fn send(&self, connection: u64, outbox: &mut Outbox) {
        for message in &self.messages {
            let text = self.written(message, connection);
            match outbox.parts() {
                (bytes, Encoding::SocketIo(encoding)) => encoding.encode_event(text, bytes),
                (bytes, encoding) => encoding.encode(Opcode::Text, text.as_bytes(), bytes),
            }
        }
    }

    fn written(&self, template: &Template, connection: u64) -> String {
        let user = self.users.as_ref().map(|users| users.of(connection));
        template.written(&Parts::of_opening(connection, user))
    }
}

/// Checks the payload of a packet of this kind, which is JSON that begins with this character.
fn check(kind: char, first: char, payload: &str, remedy: &str) -> Result<(), PlanError> {
    let cause = match Packet::decode(format!("{kind}{payload}").as_bytes()) {
        Ok(_) if payload.trim_start().starts_with(first) => return Ok(()),
        Ok(_) => "it is another value".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(PlanError::new(format!("{remedy}: {cause}")))
}
