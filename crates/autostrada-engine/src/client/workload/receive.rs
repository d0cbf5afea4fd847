//! Receive: count what comes on each connection, check it, and close when that is enough.

use std::ops::Range;

use autostrada_measure::{FailureKind, Nanos, RecordError};
use autostrada_proto::close;
use autostrada_proto::frame::Opcode;
use autostrada_proto::repeat::RepeatedFrame;

use super::feed::{FeedCheck, FeedTerms};
use super::{Message, Outbox, Recorded, Workload};
use crate::client::start::Timetable;

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
    /// By connection: whether it is slow; empty where none is.
    is_slow: Vec<bool>,
    /// When a message must come to count.
    counted: Range<Nanos>,
    /// The trial's window is over.
    has_stopped: bool,
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
            is_slow: Vec::new(),
            counted,
            has_stopped: false,
            recorded: Recorded::default(),
        }
    }

    /// Checks each message against a feed.
    #[must_use]
    pub fn with_feed(mut self, terms: FeedTerms) -> Self {
        let connections = self.left.len();
        self.feed = Some(FeedCheck::new(terms, connections, &mut self.recorded));
        self
    }

    /// Has the figures of slow connections stand by themselves.
    #[must_use]
    pub fn with_slow(mut self, is_slow: Vec<bool>) -> Self {
        self.recorded.slow.connections = is_slow.iter().map(|&slow| u64::from(slow)).sum();
        self.is_slow = is_slow;
        self
    }

    fn is_slow(&self, connection: usize) -> bool {
        self.is_slow.get(connection) == Some(&true)
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
        if let Some(feed) = self.feed.as_mut().filter(|_| self.enough == Enough::Window)
            && self.is_slow.get(connection) != Some(&true)
        {
            feed.join(connection, self.counted.start);
        }
        Ok(())
    }

    fn knows_frames(&self) -> bool {
        matches!(self.expected, Expected::Same { frame: Some(_), .. }) && self.is_slow.is_empty()
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
        if !self.is_slow.is_empty() && self.is_slow(connection) {
            self.recorded.slow.messages += 1;
            self.recorded.slow.bytes += bytes;
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
        self.has_stopped = true;
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
        if self.is_slow(connection) && !self.has_stopped {
            self.recorded.slow.closed += 1;
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

    fn into_recorded(self) -> Recorded {
        self.recorded
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
    fn in_a_window_only_what_comes_within_it_counts_and_the_slow_count_apart() {
        let mut receive = Receive::new(hello(), Enough::Window, 2).with_slow(vec![false, true]);
        let mut outbox = Outbox::default();
        receive.begin(&Timetable {
            started_at: 10,
            window: 10..20,
            drained_at: 20,
        });
        for now in [9, 10, 19, 20] {
            for connection in [0, 1] {
                receive
                    .received(connection, text(b"hello"), &mut outbox, now)
                    .unwrap();
            }
        }
        let recorded = receive.recorded();
        assert_eq!(recorded.messages, 2);
        assert_eq!((recorded.slow.connections, recorded.slow.messages), (1, 4));
        assert!(!receive.is_over());
        assert!(receive.expects_close(1000) && !receive.expects_close(1001));
    }
}
