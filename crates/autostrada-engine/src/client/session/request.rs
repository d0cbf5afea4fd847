//! The opening request: the same for all connections, or with parts that belong to their users.

use std::sync::Arc;

use autostrada_proto::deflate::DeflateOffer;
use autostrada_proto::engine_io::{self, Address};
use autostrada_proto::handshake::client::{ClientHandshake, InvalidRequest};

use super::greeting::Greeting;
use crate::client::plan::LoadPlan;
use crate::client::template::{Parts, Template};
use crate::plan::{PlanError, ProtocolPlan, SocketIoTransport, Url, Users};

/// The Socket.IO path if the URL has none.
const SOCKET_IO_PATH: &str = "/socket.io/";

/// The parts of an opening request.
#[derive(Debug)]
pub struct RequestTemplate {
    /// The host and port as the URL has them.
    pub authority: String,
    /// The path with its query.
    pub path: String,
    fields: Vec<(String, String)>,
    /// The parts that differ between users; `None` if none does.
    of_users: Option<OfUsers>,
    /// What each connection sends when it opens.
    pub greeting: Greeting,
}

/// The path and the header fields of a request, in which parts belong to users.
#[derive(Debug)]
struct OfUsers {
    users: Arc<Users>,
    path: Template,
    values: Vec<Template>,
}

impl RequestTemplate {
    /// Creates the parts of the opening request from the plan.
    /// Returns an error if a part in double braces is unknown, or the request of a user would be
    /// malformed.
    pub fn new(
        plan: &LoadPlan,
        url: &Url,
        offer: Option<DeflateOffer>,
        users: Option<Arc<Users>>,
    ) -> Result<Self, PlanError> {
        let path = match &plan.protocol {
            ProtocolPlan::SocketIo(socket_io) => {
                let path = Some(url.path.as_str()).filter(|path| *path != "/");
                let transport = match socket_io.transport {
                    SocketIoTransport::WebSocket => engine_io::Transport::WebSocket,
                    SocketIoTransport::Polling => engine_io::Transport::Polling,
                };
                let address = Address {
                    version: socket_io.version(),
                    transport,
                };
                address.encode(path.unwrap_or(SOCKET_IO_PATH))
            }
            _ => url.path.clone(),
        };
        let fields = plan.request.fields(offer.map(|offer| offer.to_string()));
        let greeting = Greeting::new(plan, users.clone())?;
        let of_users = match users {
            None => None,
            Some(users) => OfUsers::compile(users, &path, &fields)?,
        };
        let template = Self {
            authority: url.authority.clone(),
            path,
            fields,
            of_users,
            greeting,
        };
        template.check(&plan.protocol)?;
        Ok(template)
    }

    /// Checks the request of each user.
    fn check(&self, protocol: &ProtocolPlan) -> Result<(), PlanError> {
        let Some(of_users) = &self.of_users else {
            return Ok(());
        };
        let has_handshake = match protocol {
            ProtocolPlan::WebSocket {} => true,
            ProtocolPlan::SocketIo(plan) => plan.transport == SocketIoTransport::WebSocket,
            ProtocolPlan::FramedTcp {} => false,
        };
        if !has_handshake {
            return Err(PlanError::new(
                "users: only a WebSocket opening request has parts of users: remove the braces",
            ));
        }
        for user in 0..of_users.users.count() {
            self.with_request_of(of_users, user, |_| ())
                .map_err(|error| {
                    PlanError::new(format!("users: the request of user {}: {error}", user + 1))
                })?;
        }
        Ok(())
    }

    /// Calls `use_request` with the request of a connection, by its index among all.
    fn with_request_of(
        &self,
        of_users: &OfUsers,
        connection: u64,
        use_request: impl FnOnce(ClientHandshake<'_>),
    ) -> Result<(), InvalidRequest> {
        let parts = Parts::of_opening(connection, Some(of_users.users.of(connection)));
        let path = of_users.path.written(&parts);
        let values = of_users.values.iter();
        let values: Vec<_> = values.map(|value| value.written(&parts)).collect();
        let names = self.fields.iter().map(|(name, _)| name.as_str());
        let fields: Vec<_> = names.zip(values.iter().map(String::as_str)).collect();
        use_request(ClientHandshake::new(&self.authority, &path, &fields)?);
        Ok(())
    }

    /// Appends the WebSocket opening request of a connection, by its index among all; does nothing
    /// and returns `false` if it is the same for all connections.
    pub fn encode_of_user(&self, connection: u64, key: [u8; 16], out: &mut Vec<u8>) -> bool {
        let Some(of_users) = &self.of_users else {
            return false;
        };
        self.with_request_of(of_users, connection, |request| {
            request.encode_request(key, out);
        })
        .expect("the request of each user was checked");
        true
    }

    /// Returns the header fields as pairs of name and value.
    pub fn fields(&self) -> Vec<(&str, &str)> {
        self.fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }
}

impl OfUsers {
    /// Compiles a request; returns `None` if it is the same for all users.
    fn compile(
        users: Arc<Users>,
        path: &str,
        fields: &[(String, String)],
    ) -> Result<Option<Self>, PlanError> {
        let compile = |text: &str| {
            Template::compile(text.as_bytes(), &users.columns)
                .map_err(|error| PlanError::new(format!("url or request: {error}")))
        };
        let path = compile(path)?;
        let values: Result<Vec<_>, _> = fields.iter().map(|(_, value)| compile(value)).collect();
        let values = values?;
        let is_same = path.is_constant() && values.iter().all(Template::is_constant);
        Ok((!is_same).then_some(Self {
            users,
            path,
            values,
        }))
    }
}
