//! The slices of a push on its connection.

use autostrada_measure::Nanos;
use autostrada_net::clock;

use super::{Connection, Service, Stage};
use crate::server::resources::Resources;
use crate::server::sending::Pings;

impl Connection {
    /// Returns whether this connection is open for a push.
    pub fn is_pushing(&self) -> bool {
        let is_push = matches!(self.service, Service::Push(_) | Service::Encoded(_));
        is_push && self.stage == Stage::Serving
    }

    /// Plans further messages, `has_pings`: with pings between them. The first slice begins the
    /// measurement anew.
    pub fn plan_slice(&mut self, messages: u64, has_pings: bool, resources: &Resources) {
        let usage_reader = &resources.usage_reader;
        let sent_messages = self.sent_messages();
        match &mut self.service {
            Service::Push(push) => {
                if self.pings.is_none() {
                    push.restart(usage_reader);
                }
                push.limit(sent_messages.saturating_add(messages), clock::now());
            }
            Service::Encoded(deliveries) => {
                if self.pings.is_none() {
                    deliveries.restart(usage_reader);
                }
                deliveries.limit(sent_messages.saturating_add(messages));
            }
            Service::None | Service::Echo => {}
        }
        if let Some(plan) = &resources.message.pings {
            let frame_bytes = resources.message.prepared.frame_bytes;
            let new = || Box::new(Pings::new(plan, frame_bytes, clock::now()));
            self.pings.get_or_insert_with(new).are_between = has_pings;
        }
    }

    /// Returns whether all planned messages were written or encoded.
    pub fn has_sent_planned(&self) -> bool {
        match &self.service {
            Service::Push(push) => push.has_sent_all(),
            Service::Encoded(deliveries) => deliveries.left == 0,
            Service::None | Service::Echo => true,
        }
    }

    /// Appends a ping after the planned messages, all of which were sent, unless one stands there.
    pub fn end_slice(&mut self) {
        let sent_messages = self.sent_messages();
        if let Some(pings) = &mut self.pings {
            pings.append(sent_messages, self.outbox.bytes());
        }
    }

    /// Returns the instant of the pong of the last ping, if it has arrived.
    pub fn take_pong(&mut self) -> Option<Nanos> {
        self.pings.as_deref_mut().and_then(Pings::take_last)
    }

    /// Returns the number of messages that were written or encoded.
    fn sent_messages(&self) -> u64 {
        match &self.service {
            Service::Push(push) => push.sent_messages(),
            Service::Encoded(deliveries) => deliveries.encoded,
            Service::None | Service::Echo => 0,
        }
    }
}
