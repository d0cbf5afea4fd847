//! Receive: count what comes on each connection, check it, and close when that is enough.

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
use super::recorded::Recorded;
use crate::client::sending::Outbox;
use crate::client::start::Timetable;
use crate::plan::{MessageKind, PayloadPlan, Phases, PlanError, ProtocolPlan};

/// Receive and count messages: either so many on each connection, or for a time.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "ReceiveWorkload")]
#[serde(deny_unknown_fields)]
pub struct ReceivePlan {
    /// How many messages to receive on each connection before it is closed. Either this or
    /// `phases`.
    #[schemars(range(min = 1))]
    messages: Option<u64>,
    /// How long to receive. Either this or `messages`.
    phases: Option<Phases>,
    /// What each message must be: one text, or one in base64. At most one of this and `feed`;
    /// without both, any message counts.
    payload: Option<PayloadPlan>,
    /// The feed that the messages must belong to.
    feed: Option<ExpectedFeed>,
}

impl WorkloadPlan for ReceivePlan {
    fn check(&self, _connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        if self.messages == Some(0) {
            return Err(PlanError::new("messages must be at least 1"));
        }
        if self.messages.is_some() == self.phases.is_some() {
            return Err(PlanError::new("receive: give either messages or phases"));
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
        let enough = self.messages.map_or(Enough::Window, Enough::Messages);
        Receive::planned(enough, self.payload.as_ref(), self.feed.as_ref(), &thread)
    }

    fn section(&self, _outcome: &Outcome<'_, ()>) -> NoSection {
        NoSection {}
    }
}

/// Checks what the messages must be.
///
/// # Errors
///
/// When it cannot be received, or is said twice.
pub fn check_expected(
    payload: Option<&PayloadPlan>,
    feed: Option<&ExpectedFeed>,
) -> Result<(), PlanError> {
    match (payload, feed) {
        (Some(_), Some(_)) => Err(PlanError::new("give either payload or feed, not both")),
        (Some(payload), None) => payload.expected().map(drop),
        (None, Some(feed)) => feed.check(),
        (None, None) => Ok(()),
    }
}

/// The type of a message when it arrives: framed TCP has no texts.
fn arriving(opcode: Opcode, protocol: &ProtocolPlan) -> Opcode {
    if *protocol == (ProtocolPlan::FramedTcp {}) {
        Opcode::Binary
    } else {
        opcode
    }
}

/// What every message must be.
#[derive(Debug, Clone)]
pub enum Expected {
    /// Any message counts.
    Any,
    /// The same, again and again.
    Same {
        /// Text or binary.
        opcode: Opcode,
        /// Its content.
        payload: Vec<u8>,
        /// The frame in which it comes as a rule, where there are frames.
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
        let opcode = arriving(kind, thread.protocol);
        let comes_in_frames =
            *thread.protocol == ProtocolPlan::WebSocket {} && !thread.is_compressed;
        Ok(Self::Same {
            opcode,
            frame: comes_in_frames.then(|| RepeatedFrame::new(opcode, &bytes)),
            payload: bytes,
        })
    }
}

/// How much is received on each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enough {
    /// So many messages.
    Messages(u64),
    /// What comes within the window.
    Window,
}

/// The workload.
#[derive(Debug)]
pub struct Receive {
    expected: Expected,
    feed: Option<FeedCheck>,
    enough: Enough,
    /// By connection: how many messages are still to come.
    left: Vec<u64>,
    incomplete: usize,
    /// When a message must come to count.
    counted: Range<Nanos>,
    recorded: Recorded,
}

impl Receive {
    /// For so many connections.
    pub fn new(expected: Expected, enough: Enough, connections: usize) -> Self {
        let (messages, counted) = match enough {
            Enough::Messages(messages) => (messages, 0..Nanos::MAX),
            Enough::Window => (u64::MAX, 0..0),
        };
        Self {
            expected,
            feed: None,
            enough,
            left: vec![messages; connections],
            incomplete: connections,
            counted,
            recorded: Recorded::default(),
        }
    }

    /// As a plan says.
    ///
    /// # Errors
    ///
    /// When the plan names no message.
    pub fn planned(
        enough: Enough,
        payload: Option<&PayloadPlan>,
        feed: Option<&ExpectedFeed>,
        thread: &Thread<'_>,
    ) -> Result<Self, PlanError> {
        let expected = match payload {
            None => Expected::Any,
            Some(payload) => Expected::new(payload, thread)?,
        };
        let mut receive = Self::new(expected, enough, thread.connections());
        if let Some(feed) = feed {
            let expectation = FeedExpectation {
                feed: feed.encoder(),
                opcode: arriving(feed.encoder().opcode(), thread.protocol),
                cadence: feed.cadence()?,
                is_broadcast: feed.broadcast,
            };
            let check = FeedCheck::new(expectation, thread.connections(), &mut receive.recorded);
            receive.feed = Some(check);
        }
        Ok(receive)
    }

    /// Counts messages, and closes when they were enough.
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
            self.recorded.count(messages, bytes, now);
        }
        let left = &mut self.left[connection];
        *left -= messages;
        if *left == 0 {
            self.incomplete -= 1;
            outbox.close(close::NORMAL);
        }
    }

    /// Checks what came. A message that did not come in the frame that was expected may be right
    /// all the same: fragmented, say.
    #[inline(never)]
    fn judge(
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
            self.recorded.record_wrong(message, now);
        }
        if let Some(feed) = &mut self.feed {
            let is_counted = self.counted.contains(&now);
            feed.check(connection, message, now, is_counted, &mut self.recorded)?;
        }
        Ok(())
    }
}

impl Workload for Receive {
    type Counts = ();

    fn begin(&mut self, timetable: &Timetable) {
        if self.enough == Enough::Window {
            self.counted = timetable.window.clone();
        }
    }

    fn started(
        &mut self,
        connection: usize,
        _outbox: &mut Outbox,
        _now: Nanos,
    ) -> Result<(), RecordError> {
        if let Some(feed) = self.feed.as_mut().filter(|_| self.enough == Enough::Window) {
            feed.join(connection, self.counted.start);
        }
        Ok(())
    }

    fn knows_frames(&self) -> bool {
        matches!(self.expected, Expected::Same { frame: Some(_), .. })
    }

    fn take_known(
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
        let found = frame.count_at_front(input).min(left);
        if found == 0 {
            return 0;
        }
        let taken = found * frame.frame().len();
        let bytes = (found * payload.len()) as u64;
        self.count(connection, found as u64, bytes, outbox, now);
        taken
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
            self.judge(connection, message, now)?;
        }
        self.count(connection, 1, bytes, outbox, now);
        Ok(())
    }

    fn stop_sending(&mut self, now: Nanos) {
        if self.enough == Enough::Window {
            self.counted.end = now;
        }
        if let Some(feed) = &mut self.feed {
            feed.end(now, &mut self.recorded);
        }
    }

    fn closed(&mut self, connection: usize) {
        if self.enough != Enough::Window {
            self.left[connection] = 0;
        }
        if let Some(feed) = &mut self.feed {
            feed.leave(connection, &mut self.recorded);
        }
    }

    fn give_up(&mut self, now: Nanos) {
        let is_awaited = |left: &&u64| self.enough != Enough::Window && **left > 0;
        for _ in self.left.iter().filter(is_awaited) {
            let failures = &mut self.recorded.failures;
            failures.record(FailureKind::Timeout, now, || {
                "messages were still to come when time was over".to_owned()
            });
        }
    }

    /// A feed ends so.
    fn expects_close(&self, code: u16) -> bool {
        self.enough == Enough::Window && code == close::NORMAL
    }

    fn recorded(&mut self) -> &mut Recorded {
        &mut self.recorded
    }

    fn into_recorded(self) -> (Recorded, ()) {
        (self.recorded, ())
    }

    fn is_over(&self) -> bool {
        self.incomplete == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: &[u8] = b"\x81\x05hello";

    fn hello() -> Expected {
        Expected::Same {
            opcode: Opcode::Text,
            payload: b"hello".to_vec(),
            frame: Some(RepeatedFrame::new(Opcode::Text, b"hello")),
        }
    }

    fn receive(expected: Expected, messages: u64) -> Receive {
        Receive::new(expected, Enough::Messages(messages), 1)
    }

    fn text(payload: &[u8]) -> Message<'_> {
        Message {
            opcode: Opcode::Text,
            payload,
        }
    }

    #[test]
    fn closes_when_it_has_enough_and_counts_nothing_after() {
        let mut receive = receive(hello(), 3);
        let mut outbox = Outbox::default();
        let taken = receive.take_known(0, &FRAME.repeat(2), &mut outbox, 5);
        assert_eq!((taken, outbox.is_closing()), (14, false));
        let taken = receive.take_known(0, &FRAME.repeat(2), &mut outbox, 7);
        assert_eq!((taken, outbox.is_closing()), (7, true));
        assert_eq!(receive.take_known(0, FRAME, &mut outbox, 8), 0);
        receive.received(0, text(b"hello"), &mut outbox, 9).unwrap();
        let recorded = receive.recorded();
        assert_eq!((recorded.messages, recorded.bytes), (3, 15));
        assert_eq!(recorded.received_ns, 7);
        assert!(receive.is_over());
    }

    #[test]
    fn type_and_content_must_be_those_expected() {
        let mut receive = receive(hello(), 9);
        let mut outbox = Outbox::default();
        let binary = Message {
            opcode: Opcode::Binary,
            payload: b"hello",
        };
        receive.received(0, text(b"hello"), &mut outbox, 1).unwrap();
        receive.received(0, binary, &mut outbox, 1).unwrap();
        receive.received(0, text(b"hell"), &mut outbox, 1).unwrap();
        let recorded = receive.recorded();
        assert_eq!((recorded.messages, recorded.wrong), (3, 2));
        let (_, failure) = recorded.failures.iter().next().unwrap();
        assert_eq!(failure.example, "binary of 5 bytes, \"hello\"");
    }

    #[test]
    fn any_message_counts_where_none_is_expected() {
        let mut receive = receive(Expected::Any, 9);
        let mut outbox = Outbox::default();
        assert_eq!(receive.take_known(0, b"\x81\x00", &mut outbox, 1), 0);
        receive
            .received(0, text(b"anything"), &mut outbox, 1)
            .unwrap();
        let recorded = receive.recorded();
        assert_eq!((recorded.bytes, recorded.wrong), (8, 0));
    }

    #[test]
    fn in_a_window_only_what_comes_within_it_counts() {
        let mut receive = Receive::new(hello(), Enough::Window, 1);
        let mut outbox = Outbox::default();
        receive.begin(&Timetable {
            started_at: 10,
            window: 10..20,
            drained_at: 20,
        });
        for now in [9, 10, 19, 20] {
            receive
                .received(0, text(b"hello"), &mut outbox, now)
                .unwrap();
        }
        assert_eq!(receive.recorded().messages, 2);
        assert!(!receive.is_over());
        assert!(receive.expects_close(1000) && !receive.expects_close(1001));
    }
}
