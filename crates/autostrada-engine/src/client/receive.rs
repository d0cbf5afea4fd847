//! Receive: count what comes on each connection, and close it when that is enough.

use autostrada_measure::{Nanos, RecordError};
use autostrada_net::random_bytes;
use autostrada_proto::close;
use autostrada_proto::frame::Opcode;
use autostrada_proto::repeat::RepeatedFrame;

use super::outbox::Outbox;
use super::workload::{Counts, Message, Workload};

/// What every connection is to receive.
#[derive(Debug, Clone)]
pub struct Expected {
    /// How many messages.
    messages: u64,
    /// Where each must be the same: its frame, and its payload.
    known: Option<(RepeatedFrame, Vec<u8>)>,
}

impl Expected {
    /// So many text messages of one content, or of any type and content.
    pub fn new(messages: u64, text: Option<&str>) -> Self {
        let known = text.map(|text| {
            let frame = RepeatedFrame::new(Opcode::Text, text.as_bytes());
            (frame, text.as_bytes().to_vec())
        });
        Self { messages, known }
    }

    /// How many messages on each connection.
    pub fn messages(&self) -> u64 {
        self.messages
    }
}

/// What a thread has received.
#[derive(Debug, Default)]
pub struct Received {
    /// Messages, wrong ones included, and their payload bytes.
    pub counts: Counts,
    /// Messages whose type or content was not the one expected.
    pub wrong: u64,
    /// The first of them.
    pub wrong_example: Option<String>,
    /// The last message that came.
    pub received_ns: Nanos,
}

impl Received {
    /// Adds what another thread has received.
    pub fn merge(&mut self, other: Self) {
        self.counts += other.counts;
        self.wrong += other.wrong;
        self.wrong_example = self.wrong_example.take().or(other.wrong_example);
        self.received_ns = self.received_ns.max(other.received_ns);
    }
}

/// The workload.
#[derive(Debug)]
pub struct Receive {
    expected: Expected,
    /// By connection: how many messages are still to come.
    left: Vec<u64>,
    incomplete: usize,
    /// What it has received.
    pub received: Received,
}

impl Receive {
    /// For so many connections.
    pub fn new(expected: Expected, connections: usize) -> Self {
        Self {
            left: vec![expected.messages; connections],
            incomplete: connections,
            expected,
            received: Received::default(),
        }
    }

    /// Counts messages, and closes when they were enough.
    #[inline]
    fn count(&mut self, connection: usize, counts: Counts, outbox: &mut Outbox, now: Nanos) {
        self.received.counts += counts;
        self.received.received_ns = now;
        let left = &mut self.left[connection];
        *left -= counts.messages;
        if *left == 0 {
            self.incomplete -= 1;
            outbox.close(close::NORMAL, random_bytes());
        }
    }
}

impl Workload for Receive {
    fn knows_frames(&self) -> bool {
        self.expected.known.is_some()
    }

    fn take_known(
        &mut self,
        connection: usize,
        input: &[u8],
        outbox: &mut Outbox,
        now: Nanos,
    ) -> usize {
        let left = usize::try_from(self.left[connection]).unwrap_or(usize::MAX);
        let Some((frame, payload)) = self.expected.known.as_ref().filter(|_| left > 0) else {
            return 0;
        };
        let found = frame.count_at_front(input).min(left);
        if found == 0 {
            return 0;
        }
        let taken = found * frame.frame().len();
        let counts = Counts {
            messages: found as u64,
            bytes: (found * payload.len()) as u64,
        };
        self.count(connection, counts, outbox, now);
        taken
    }

    #[inline]
    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if self.left[connection] == 0 {
            return Ok(());
        }
        // A message that did not come in the frame that was expected may be right all the same:
        // fragmented, say.
        if let Some((_, payload)) = &self.expected.known
            && (message.opcode != Opcode::Text || message.payload != payload)
        {
            self.received.wrong += 1;
            let example = &mut self.received.wrong_example;
            example.get_or_insert_with(|| message.describe());
        }
        let counts = Counts {
            messages: 1,
            bytes: message.payload.len() as u64,
        };
        self.count(connection, counts, outbox, now);
        Ok(())
    }

    fn counts(&self) -> Counts {
        self.received.counts
    }

    fn is_over(&self) -> bool {
        self.incomplete == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(payload: &[u8]) -> Message<'_> {
        Message {
            opcode: Opcode::Text,
            payload,
        }
    }

    #[test]
    fn closes_when_it_has_enough_and_counts_nothing_after() {
        let mut receive = Receive::new(Expected::new(3, Some("hello")), 1);
        let mut outbox = Outbox::default();
        let frame = b"\x81\x05hello";
        let taken = receive.take_known(0, &frame.repeat(2), &mut outbox, 5);
        assert_eq!((taken, outbox.is_closing()), (14, false));
        let taken = receive.take_known(0, &frame.repeat(2), &mut outbox, 7);
        assert_eq!((taken, outbox.is_closing()), (7, true));
        assert_eq!(receive.take_known(0, frame, &mut outbox, 8), 0);
        receive.received(0, text(b"hello"), &mut outbox, 9).unwrap();
        assert_eq!(
            receive.counts(),
            Counts {
                messages: 3,
                bytes: 15
            }
        );
        assert_eq!(receive.received.received_ns, 7);
        assert!(receive.is_over());
    }

    #[test]
    fn type_and_content_must_be_those_expected() {
        let mut receive = Receive::new(Expected::new(9, Some("hello")), 1);
        let mut outbox = Outbox::default();
        let binary = Message {
            opcode: Opcode::Binary,
            payload: b"hello",
        };
        receive.received(0, text(b"hello"), &mut outbox, 1).unwrap();
        receive.received(0, binary, &mut outbox, 1).unwrap();
        receive.received(0, text(b"hell"), &mut outbox, 1).unwrap();
        assert_eq!((receive.counts().messages, receive.received.wrong), (3, 2));
        let example = receive.received.wrong_example.unwrap();
        assert_eq!(example, "binary of 5 bytes, \"hello\"");
    }

    #[test]
    fn any_message_counts_where_none_is_expected() {
        let mut receive = Receive::new(Expected::new(9, None), 1);
        let mut outbox = Outbox::default();
        assert_eq!(receive.take_known(0, b"\x81\x00", &mut outbox, 1), 0);
        receive
            .received(0, text(b"anything"), &mut outbox, 1)
            .unwrap();
        assert_eq!((receive.counts().bytes, receive.received.wrong), (8, 0));
    }
}
