//! Slow consumer: all connections receive, and some of them read slowly or not at all.

use autostrada_measure::{Nanos, RecordError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::feed::ExpectedFeed;
use super::kind::{Kind, Outcome, Thread, Workload, WorkloadPlan};
use super::message::Message;
use super::receive::{Receive, ReceiveLimit, check_expected};
use super::records::Records;
use super::slow_readers::{SlowPlan, SlowReaders};
use crate::client::merge::merge;
use crate::client::sending::Outbox;
use crate::client::timetable::Timetable;
use crate::plan::{PayloadPlan, Phases, PlanError, ProtocolPlan};

/// Receive messages for a time as `receive` does, while some of the connections read slowly or not
/// at all.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "SlowConsumerWorkload")]
#[serde(deny_unknown_fields)]
pub struct SlowConsumerPlan {
    /// Number and reading rate of the slow connections.
    slow: SlowPlan,
    /// Durations of the phases of the trial.
    phases: Phases,
    /// The message that each received message must equal, as in `receive`. Default: any message
    /// counts.
    payload: Option<PayloadPlan>,
    /// The feed that the messages must belong to, as in `receive`.
    feed: Option<ExpectedFeed>,
}

impl WorkloadPlan for SlowConsumerPlan {
    fn check(&self, _connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        self.slow.check()?;
        check_expected(self.payload.as_ref(), self.feed.as_ref())
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn has_delivery_times(&self) -> bool {
        self.feed.is_some_and(|feed| feed.has_instants())
    }

    fn broadcast_receivers(&self, connections: u64) -> u64 {
        let is_fast = |connection: &u64| !self.slow.is_slow(*connection);
        (0..connections).filter(is_fast).count() as u64
    }

    fn slow_receive_buffer_bytes(&self) -> Option<usize> {
        self.slow.receive_buffer_bytes
    }
}

impl Kind for SlowConsumerPlan {
    type Workload = SlowConsumer;
    type Section = SlowConsumerSection;

    fn workload(&self, thread: Thread<'_>) -> Result<SlowConsumer, PlanError> {
        let (payload, feed) = (self.payload.as_ref(), self.feed.as_ref());
        let receive = Receive::planned(ReceiveLimit::Window, payload, feed, &thread)?;
        let readers = SlowReaders::new(
            self.slow.slow_connections(thread.share),
            self.slow.read_bytes_per_s,
        );
        Ok(SlowConsumer::new(receive, readers))
    }

    fn section(&self, outcome: &Outcome<'_, SlowRow>) -> SlowConsumerSection {
        SlowConsumerSection {
            slow: Some(*outcome.counts),
        }
    }
}

/// The section of the result for `slow-consumer`.
#[derive(Debug, Default, Clone, Deserialize, Serialize, JsonSchema)]
pub struct SlowConsumerSection {
    /// Results of the slow connections of `slow-consumer`; null for other workloads. Messages of
    /// slow connections count only here.
    pub slow: Option<SlowRow>,
}

/// Results of the slow connections.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Slow")]
pub struct SlowRow {
    /// Number of slow connections.
    pub connections: u64,
    /// Messages that slow connections received, at any time.
    pub messages: u64,
    /// Payload bytes of these messages.
    pub bytes: u64,
    /// Unread bytes in the receive buffers of their sockets at the end.
    pub unread_bytes: u64,
    /// Number of slow connections that ended before the window did.
    pub closed: u64,
}

merge!(SlowConsumerSection { slow: each });

merge!(SlowRow {
    connections: sum,
    messages: sum,
    bytes: sum,
    unread_bytes: sum,
    closed: sum,
});

/// The `slow-consumer` workload of one thread.
#[derive(Debug)]
pub struct SlowConsumer {
    /// Workload of the connections that are not slow.
    receive: Receive,
    readers: SlowReaders,
    counts: SlowRow,
    /// Whether the window has ended.
    has_stopped: bool,
}

impl SlowConsumer {
    /// Creates the workload of connections of which some are slow.
    pub fn new(receive: Receive, readers: SlowReaders) -> Self {
        let counts = SlowRow {
            connections: readers.connections().len() as u64,
            ..SlowRow::default()
        };
        Self {
            receive,
            readers,
            counts,
            has_stopped: false,
        }
    }

    /// Returns the number of messages that connections received that are not slow.
    pub fn messages(&self) -> u64 {
        self.receive.messages()
    }

    /// Whether a connection is slow.
    pub fn is_slow(&self, connection: usize) -> bool {
        self.readers.contains(connection)
    }
}

impl Workload for SlowConsumer {
    type Counts = SlowRow;

    fn begin(&mut self, timetable: &Timetable) {
        self.receive.begin(timetable);
    }

    fn started(
        &mut self,
        connection: usize,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if self.readers.contains(connection) {
            return Ok(());
        }
        self.receive.started(connection, outbox, now)
    }

    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if self.readers.contains(connection) {
            self.counts.messages += 1;
            self.counts.bytes += message.payload.len() as u64;
            return Ok(());
        }
        self.receive.received(connection, message, outbox, now)
    }

    fn stop_sending(&mut self, now: Nanos) {
        self.has_stopped = true;
        self.receive.stop_sending(now);
    }

    fn closed(&mut self, connection: usize) {
        if !self.readers.contains(connection) {
            self.receive.closed(connection);
        } else if !self.has_stopped {
            self.counts.closed += 1;
        }
    }

    fn expects_close(&self, code: u16) -> bool {
        self.receive.expects_close(code)
    }

    fn slow_readers(&mut self) -> Option<&mut SlowReaders> {
        Some(&mut self.readers)
    }

    fn records(&mut self) -> &mut Records {
        self.receive.records()
    }

    fn into_records(self) -> (Records, SlowRow) {
        let (records, ()) = self.receive.into_records();
        let counts = SlowRow {
            unread_bytes: self.readers.unread_bytes,
            ..self.counts
        };
        (records, counts)
    }

    fn is_over(&self) -> bool {
        self.receive.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::workload::receive::Expected;
    use autostrada_proto::frame::Opcode;

    #[test]
    fn the_messages_of_slow_connections_count_apart() {
        let receive = Receive::new(Expected::Any, ReceiveLimit::Window, 2);
        let readers = SlowReaders::new(vec![false, true], 0);
        let mut consumer = SlowConsumer::new(receive, readers);
        let mut outbox = Outbox::default();
        consumer.begin(&Timetable {
            started_at: 10,
            window: 10..20,
            drained_at: 20,
        });
        let hello = Message {
            opcode: Opcode::Text,
            payload: b"hello",
        };
        for now in [9, 10, 19, 20] {
            for connection in [0, 1] {
                consumer
                    .received(connection, hello, &mut outbox, now)
                    .unwrap();
            }
        }
        consumer.closed(0);
        consumer.closed(1);
        assert!(!consumer.is_over());
        let (records, counts) = consumer.into_records();
        assert_eq!(records.messages, 2);
        assert_eq!((counts.connections, counts.messages), (1, 4));
        assert_eq!((counts.bytes, counts.closed), (20, 1));
    }
}
