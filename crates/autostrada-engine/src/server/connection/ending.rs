//! The end of a connection: closed by the server, closed by its peer, or broken.

use std::io;

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_proto::close;

use super::{Connection, End, Progress, Service, Stage};
use crate::ended::Ended;
use crate::line::ServeResult;
use crate::server::resources::Resources;

impl Connection {
    /// Begins to close with code 1000, after all messages in the outbox.
    pub fn close_after_outbox(&mut self) {
        if let Service::Encoded(deliveries) = &mut self.service {
            deliveries.is_feed_open = false;
        }
        self.close(close::NORMAL);
    }

    /// Drops unsent messages, and begins to close with `code`.
    pub fn close_now(&mut self, code: u16) {
        self.cancel();
        self.close(code);
    }

    /// Drops the unsent messages, except one that the kernel has taken in part.
    fn cancel(&mut self) {
        match &mut self.service {
            Service::Push(push) => push.cancel(),
            Service::Encoded(deliveries) => deliveries.cancel(&mut self.outbox),
            Service::None | Service::Echo => {}
        }
    }

    pub(super) fn close(&mut self, code: u16) {
        if self.stage == Stage::Serving {
            self.stage = Stage::AwaitingClose;
            self.protocol.encode_close(code, self.outbox.bytes());
        }
    }

    /// Ends the connection because of an error outside its turn.
    pub fn fail(&mut self, error: io::Error, resources: &Resources) -> Progress {
        self.end(End::Broken(error), resources)
    }

    /// Ends the measurement, if there is one, and begins to close the connection.
    pub(super) fn end(&mut self, end: End, resources: &Resources) -> Progress {
        let closed_ns = clock::now();
        if let End::Violation(error) = &end {
            crate::log(&format!("a client broke the protocol: {error}"));
        }
        let is_open = match self.stage {
            Stage::Serving | Stage::AwaitingClose | Stage::Aborting => true,
            Stage::Handshake | Stage::Closing | Stage::Ending => false,
        };
        if !is_open {
            return Progress::Gone;
        }
        self.unblock();
        let result = self.result(&end, closed_ns, resources);
        if self.stage == Stage::Serving {
            self.cancel();
        }
        match end {
            End::Close(code) => self.answer(code.unwrap_or(close::NORMAL)),
            End::Violation(error) => self.answer(error.close_code()),
            End::Broken(error) => {
                if result.is_some() {
                    crate::log(&format!("a connection broke: {error}"));
                }
                self.stage = Stage::Ending;
            }
            End::Eof => self.stage = Stage::Ending,
        }
        match result {
            Some(result) => Progress::Measured(Box::new(result)),
            None => Progress::Runnable,
        }
    }

    fn answer(&mut self, code: u16) {
        if self.stage != Stage::AwaitingClose {
            self.protocol.encode_close(code, self.outbox.bytes());
        }
        self.stage = Stage::Closing;
    }

    fn result(
        &mut self,
        end: &End,
        closed_ns: Nanos,
        resources: &Resources,
    ) -> Option<ServeResult> {
        let (measurement, traffic) = match &mut self.service {
            Service::None | Service::Echo => None,
            Service::Push(push) => push.take_measurement(&self.outbox),
            Service::Encoded(deliveries) => deliveries.take_measurement(&self.outbox),
        }?;
        let closed = if traffic.has_all {
            Ended::Complete
        } else {
            Ended::Closed
        };
        let end = match end {
            End::Close(code) => (closed, *code),
            End::Eof => (closed, None),
            End::Broken(_) => (Ended::Reset, None),
            End::Violation(_) => (Ended::Violation, None),
        };
        let pings = self.pings.as_deref();
        let usage_reader = &resources.usage_reader;
        Some(measurement.end(
            &traffic,
            pings,
            end,
            closed_ns,
            &self.transport,
            usage_reader,
        ))
    }
}
