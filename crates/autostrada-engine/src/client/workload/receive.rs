//! Receive: count and check the messages of each connection, for a time or up to a number.

use std::ops::Range;

use autostrada_measure::{FailureKind, Nanos, RecordError};
use autostrada_proto::close;
use autostrada_proto::frame::Opcode;
use autostrada_proto::repeat::RepeatedFrame;
use schemars::JsonSchema;
use serde::Deserialize;

use super::feed::{ExpectedFeed, FeedCheck, FeedExpectation};
use super::kind::{Kind, NoSection, Outcome, Thread, Workload, WorkloadPlan};
use super::message::Message;
use super::records::Records;
use crate::client::sending::Outbox;
use crate::client::timetable::Timetable;
use crate::plan::{MessageKind, PayloadPlan, Phases, PlanError, ProtocolPlan};

/// Receive and count messages: either a number of them on each connection, or for a time.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "ReceiveWorkload")]
#[serde(deny_unknown_fields)]
pub struct ReceivePlan {
    /// Number of messages to receive on each connection before the client closes it. Exactly one of
    /// `messages` and `phases` is required.
    #[schemars(range(min = 1))]
    messages: Option<u64>,
    /// Durations of the phases of the trial. Exactly one of `messages` and `phases` is required.
    phases: Option<Phases>,
    /// The message that each received message must equal: one message of known content, without
    /// `stamped` and `fragment_bytes`. At most one of `payload` and `feed` is allowed. Default: any
    /// message counts.
    payload: Option<PayloadPlan>,
    /// The feed that the messages must belong to. At most one of `payload` and `feed` is allowed.
    feed: Option<ExpectedFeed>,
}

impl WorkloadPlan for ReceivePlan {
    fn check(&self, _connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        if self.messages == Some(0) {
            return Err(PlanError::new("messages must be at least 1"));
        }
        if self.messages.is_some() == self.phases.is_some() {
            return Err(PlanError::new(
                "receive: set exactly one of messages or phases",
            ));
        }
        check_expected(self.payload.as_ref(), self.feed.as_ref())
    }

    fn phases(&self) -> Option<&Phases> {
        self.phases.as_ref()
    }

    fn messages(&self) -> Option<u64> {
        self.messages
    }

    fn has_delivery_times(&self) -> bool {
        self.feed.is_some_and(|feed| feed.has_instants())
    }
}

impl Kind for ReceivePlan {
    type Workload = Receive;
    type Section = NoSection;

    fn workload(&self, thread: Thread<'_>) -> Result<Receive, PlanError> {
        let limit = self
            .messages
            .map_or(ReceiveLimit::Window, ReceiveLimit::Messages);
        Receive::planned(limit, self.payload.as_ref(), self.feed.as_ref(), &thread)
    }

    fn section(&self, _outcome: &Outcome<'_, ()>) -> NoSection {
        NoSection {}
    }
}

/// Checks the expected messages of a plan.
/// Returns an error if both `payload` and `feed` are given, or one of them is invalid.
pub fn check_expected(
    payload: Option<&PayloadPlan>,
    feed: Option<&ExpectedFeed>,
) -> Result<(), PlanError> {
    match (payload, feed) {
        (Some(_), Some(_)) => Err(PlanError::new("set only one of payload and feed")),
        (Some(payload), None) => payload.expected().map(drop),
        (None, Some(feed)) => feed.check(),
        (None, None) => Ok(()),
    }
}

/// Returns the type of a message when it arrives: always binary with framed TCP.
fn received_opcode(opcode: Opcode, protocol: &ProtocolPlan) -> Opcode {
    if *protocol == (ProtocolPlan::FramedTcp {}) {
        Opcode::Binary
    } else {
        opcode
    }
}

/// The expected content of received messages.
#[derive(Debug, Clone)]
pub enum Expected {
    /// Any message counts.
    Any,
    /// Every message must equal this one.
    Same {
        /// Text or binary.
        opcode: Opcode,
        /// Content of the message.
        payload: Vec<u8>,
        /// Frame in which the message usually arrives, or `None` if that is not known in advance.
        frame: Option<RepeatedFrame>,
    },
}

impl Expected {
    fn new(payload: &PayloadPlan, thread: &Thread<'_>) -> Result<Self, PlanError> {
        let bytes = payload.expected()?;
        let kind = match payload.kind() {
            MessageKind::Text => Opcode::Text,
            MessageKind::Binary => Opcode::Binary,
        };
        let opcode = received_opcode(kind, thread.protocol);
        let is_uncompressed_websocket =
            *thread.protocol == ProtocolPlan::WebSocket {} && !thread.is_compressed;
        Ok(Self::Same {
            opcode,
            frame: is_uncompressed_websocket.then(|| RepeatedFrame::new(opcode, &bytes)),
            payload: bytes,
        })
    }
}

/// The amount that is received on each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiveLimit {
    /// This many messages.
    Messages(u64),
    /// All messages that are received within the window.
    Window,
}

/// The `receive` workload of one thread.
#[derive(Debug)]
pub struct Receive {
    expected: Expected,
    feed: Option<FeedCheck>,
    limit: ReceiveLimit,
    /// For each connection, the number of outstanding messages.
    left: Vec<u64>,
    /// Number of connections with outstanding messages.
    incomplete: usize,
    /// Range of instants in which received messages count.
    counted: Range<Nanos>,
    records: Records,
}

impl Receive {
    /// Creates the workload for this many connections, without a feed.
    pub fn new(expected: Expected, limit: ReceiveLimit, connections: usize) -> Self {
        let (messages, counted) = match limit {
            ReceiveLimit::Messages(messages) => (messages, 0..Nanos::MAX),
            ReceiveLimit::Window => (u64::MAX, 0..0),
        };
        Self {
            expected,
            feed: None,
            limit,
            left: vec![messages; connections],
            incomplete: connections,
            counted,
            records: Records::default(),
        }
    }

    /// Creates the workload from the expected messages of a plan.
    pub fn planned(
        limit: ReceiveLimit,
        payload: Option<&PayloadPlan>,
        feed: Option<&ExpectedFeed>,
        thread: &Thread<'_>,
    ) -> Result<Self, PlanError> {
        let expected = match payload {
            None => Expected::Any,
            Some(payload) => Expected::new(payload, thread)?,
        };
        let mut receive = Self::new(expected, limit, thread.connections());
        if let Some(feed) = feed {
            let expectation = FeedExpectation {
                feed: feed.encoder(),
                opcode: received_opcode(feed.encoder().opcode(), thread.protocol),
                cadence: feed.cadence()?,
                is_broadcast: feed.broadcast,
            };
            let check = FeedCheck::new(expectation, thread.connections(), &mut receive.records);
            receive.feed = Some(check);
        }
        Ok(receive)
    }

    /// Returns the number of messages that count.
    pub fn messages(&self) -> u64 {
        self.records.messages
    }

    /// Counts messages, and closes the connection after its last one.
    #[inline]
    fn count(
        &mut self,
        connection: usize,
        messages: u64,
        bytes: u64,
        outbox: &mut Outbox,
        now: Nanos,
    ) {
        if self.counted.contains(&now) {
            self.records.count(messages, bytes, now);
        }
        let left = &mut self.left[connection];
        *left -= messages;
        if *left == 0 {
            self.incomplete -= 1;
            outbox.close(close::NORMAL);
        }
    }

    /// Checks a message. It may be correct although it did not arrive in the expected frame, for
    /// example if it was fragmented.
    #[inline(never)]
    fn check_message(
        &mut self,
        connection: usize,
        message: Message<'_>,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if let Expected::Same {
            opcode, payload, ..
        } = &self.expected
            && (message.opcode != *opcode || message.payload != payload)
        {
            self.records.record_wrong(message, now);
        }
        if let Some(feed) = &mut self.feed {
            let is_counted = self.counted.contains(&now);
            feed.check(connection, message, now, is_counted, &mut self.records)?;
        }
        Ok(())
    }
}

impl Workload for Receive {
    type Counts = ();

    fn begin(&mut self, timetable: &Timetable) {
        if self.limit == ReceiveLimit::Window {
            self.counted = timetable.window.clone();
        }
    }

    fn started(
        &mut self,
        connection: usize,
        _outbox: &mut Outbox,
        _now: Nanos,
    ) -> Result<(), RecordError> {
        if let Some(feed) = self
            .feed
            .as_mut()
            .filter(|_| self.limit == ReceiveLimit::Window)
        {
            feed.join(connection, self.counted.start);
        }
        Ok(())
    }

    fn has_known_frames(&self) -> bool {
        matches!(self.expected, Expected::Same { frame: Some(_), .. })
    }

    fn consume_known(
        &mut self,
        connection: usize,
        input: &[u8],
        outbox: &mut Outbox,
        now: Nanos,
    ) -> usize {
        let left = usize::try_from(self.left[connection]).unwrap_or(usize::MAX);
        let Expected::Same {
            payload,
            frame: Some(frame),
            ..
        } = &self.expected
        else {
            return 0;
        };
        if left == 0 {
            return 0;
        }
        let messages = frame.count_at_front(input).min(left);
        if messages == 0 {
            return 0;
        }
        let consumed_bytes = messages * frame.frame().len();
        let bytes = (messages * payload.len()) as u64;
        self.count(connection, messages as u64, bytes, outbox, now);
        consumed_bytes
    }

    #[expect(clippy::inline_always, reason = "a call costs more than what it does")]
    #[inline(always)]
    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        let bytes = message.payload.len() as u64;
        if self.left[connection] == 0 {
            return Ok(());
        }
        if self.feed.is_some() || !matches!(self.expected, Expected::Any) {
            self.check_message(connection, message, now)?;
        }
        self.count(connection, 1, bytes, outbox, now);
        Ok(())
    }

    fn stop_sending(&mut self, now: Nanos) {
        if self.limit == ReceiveLimit::Window {
            self.counted.end = now;
        }
        if let Some(feed) = &mut self.feed {
            feed.end(now, &mut self.records);
        }
    }

    fn closed(&mut self, connection: usize) {
        if self.limit != ReceiveLimit::Window {
            self.left[connection] = 0;
        }
        if let Some(feed) = &mut self.feed {
            feed.leave(connection, &mut self.records);
        }
    }

    fn give_up(&mut self, now: Nanos) {
        let is_awaited = |left: &&u64| self.limit != ReceiveLimit::Window && **left > 0;
        for _ in self.left.iter().filter(is_awaited) {
            let failures = &mut self.records.failures;
            failures.record(FailureKind::Timeout, now, || {
                "messages were missing when the time limit was reached".to_owned()
            });
        }
    }

    /// A feed ends with code 1000.
    fn expects_close(&self, code: u16) -> bool {
        self.limit == ReceiveLimit::Window && code == close::NORMAL
    }

    fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn into_records(self) -> (Records, ()) {
        (self.records, ())
    }

    fn is_over(&self) -> bool {
        self.incomplete == 0
    }
}

#[cfg(test)]
#[path = "tests/receive.rs"]
mod tests;
