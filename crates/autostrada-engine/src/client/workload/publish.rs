//! Publish: some connections publish messages, all others receive them.

use std::mem::swap;

use autostrada_measure::{Nanos, OpenLoop, RecordError};
use autostrada_proto::feed::{FeedEncoder, FeedKind, Stock, stocks_of_message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::feed::ExpectedFeed;
use super::kind::{Kind, Outcome, Thread, Workload, WorkloadPlan, merged_growth};
use super::message::Message;
use super::receive::{Receive, ReceiveLimit};
use super::records::Records;
use super::slow_consumer::SlowConsumer;
use super::slow_readers::{SlowPlan, SlowReaders};
use crate::client::merge::{Merge, merge};
use crate::client::sending::Outbox;
use crate::client::timetable::Timetable;
use crate::plan::{Phases, PlanError, ProtocolPlan};

/// Maximum number of records in a message.
const STOCKS_MAX: usize = 1_000_000;

/// Time after which a message that some subscriber has not received no longer holds up the next one.
const STALLED_NS: Nanos = 1_000_000_000;

/// Publish messages that the server sends to all subscribers. The last `publishers` connections
/// publish, all others are subscribers. With `feed.every_ms` messages are due at that interval;
/// without it, each is published when all subscribers have received the one `window` before it.
/// Needs one thread, and WebSocket or framed TCP.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "PublishWorkload")]
#[serde(deny_unknown_fields)]
pub struct PublishPlan {
    /// The messages. Each of the publishers sends each of them, as the processes of one server have
    /// their own subscribers.
    feed: ExpectedFeed,
    /// Records in each message of a feed of `stocks`.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = STOCKS_MAX))]
    stocks: usize,
    /// Without `feed.every_ms`: number of messages that some subscriber has not received.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    window: usize,
    /// Number of publishers.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    publishers: usize,
    /// Path that publishers ask for; subscribers ask for that of the URL.
    #[serde(default = "publish_path")]
    path: String,
    /// Subscribers that read slowly or not at all. Default: none.
    slow: Option<SlowPlan>,
    /// Durations of the phases of the trial.
    phases: Phases,
}

fn one() -> usize {
    1
}

fn publish_path() -> String {
    "/publish".to_owned()
}

impl WorkloadPlan for PublishPlan {
    fn check(&self, connections: usize, protocol: &ProtocolPlan) -> Result<(), PlanError> {
        if matches!(protocol, ProtocolPlan::SocketIo(_)) {
            return Err(PlanError::new(
                "publish needs WebSocket or framed-tcp: change the protocol",
            ));
        }
        if self.publishers == 0 || self.publishers >= connections {
            return Err(PlanError::new(
                "publishers must be at least 1 and less than connections",
            ));
        }
        if !(1..=STOCKS_MAX).contains(&self.stocks) || self.window == 0 {
            return Err(PlanError::new(
                "window must be at least 1, and stocks from 1 to 1000000",
            ));
        }
        self.slow.as_ref().map_or(Ok(()), SlowPlan::check)?;
        self.feed.check()
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn has_delivery_times(&self) -> bool {
        self.feed.has_instants()
    }

    fn sends(&self) -> bool {
        true
    }

    fn has_slices(&self) -> bool {
        self.feed.interval_ns().is_none() && self.slow.is_none()
    }

    fn needs_one_thread(&self) -> bool {
        true
    }

    fn other_path(&self, connections: usize) -> Option<(usize, &str)> {
        Some((connections - self.publishers, &self.path))
    }

    fn broadcast_receivers(&self, connections: u64) -> u64 {
        let subscribers = connections - self.publishers as u64;
        let is_fast = |index: &u64| !self.slow.is_some_and(|slow| slow.is_slow(*index));
        (0..subscribers).filter(is_fast).count() as u64
    }

    fn slow_receive_buffer_bytes(&self) -> Option<usize> {
        self.slow.and_then(|slow| slow.receive_buffer_bytes)
    }
}

impl Kind for PublishPlan {
    type Workload = Publish;
    type Section = PublishSection;

    fn workload(&self, thread: Thread<'_>) -> Result<Publish, PlanError> {
        let connections = thread.connections();
        let subscribers = connections - self.publishers;
        let receive = Receive::planned(ReceiveLimit::Window, None, Some(&self.feed), &thread)?;
        let mut is_slow = vec![false; connections];
        if let Some(slow) = &self.slow {
            let planned = slow.slow_connections(thread.share);
            is_slow[..subscribers].copy_from_slice(&planned[..subscribers]);
        }
        let readers = SlowReaders::new(is_slow, self.slow.map_or(0, |slow| slow.read_bytes_per_s));
        Ok(Publish {
            awaited: subscribers - readers.connections().len(),
            subscribers,
            publishers: self.publishers,
            encoder: self.feed.encoder(),
            stocks_count: self.stocks,
            interval_ns: self.feed.interval_ns(),
            window: self.window as u64,
            consumer: SlowConsumer::new(receive, readers),
            timetable: Timetable::default(),
            next: 0,
            turn: 0,
            published: 0,
            published_at: 0,
            delivered: 0,
            has_stopped: false,
            has_lost: false,
            has_slices: false,
            stocks: Vec::new(),
            payload: Vec::new(),
            counts: PublishCounts::default(),
        })
    }

    fn section(&self, outcome: &Outcome<'_, PublishCounts>) -> PublishSection {
        let counts = outcome.counts;
        PublishSection {
            published: Some(PublishedRow {
                messages: counts.published,
                rate_per_s: outcome.rate_per_s(counts.published),
                delivered_rate_per_s: outcome.rate_per_s(outcome.records.messages),
                rate_growth: self
                    .feed
                    .interval_ns()
                    .is_none()
                    .then(|| outcome.rate_growth(counts.published, counts.published_early))
                    .flatten(),
                undelivered: counts.undelivered,
                stalls: counts.stalls,
            }),
        }
    }

    fn open_loop<'a>(&self, outcome: &Outcome<'a, PublishCounts>) -> Option<OpenLoop<'a>> {
        self.feed.interval_ns()?;
        let counts = outcome.counts;
        let sent_rate_per_s = outcome.rate_per_s(counts.published);
        Some(OpenLoop {
            send_delay_ns: &outcome.records.latencies.recorder.send_delay_ns,
            offered_rate_per_s: outcome.rate_per_s(counts.published + counts.overdue),
            sent_rate_per_s,
            sustained_rate_per_s: sent_rate_per_s,
        })
    }
}

/// The section of the result for `publish`.
#[derive(Debug, Default, Clone, Deserialize, Serialize, JsonSchema)]
pub struct PublishSection {
    /// Results of the publishers of `publish`; null for other workloads.
    published: Option<PublishedRow>,
}

/// Results of the publishers.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Published")]
pub struct PublishedRow {
    /// Messages published in the window, each counted once.
    pub messages: u64,
    /// These messages, per second of the window.
    pub rate_per_s: f64,
    /// Messages received in the window by subscribers that are not slow, per second of it.
    pub delivered_rate_per_s: f64,
    /// Messages published in the second half of the window, as a multiple of those in its first
    /// half: 1 for a steady rate. Null with `feed.every_ms`, if the window was shorter than a second
    /// or than planned, and if the first half has none.
    pub rate_growth: Option<f64>,
    /// Messages of the whole trial that subscribers that are not slow had not received before the
    /// drain ended, counted once for each subscriber.
    pub undelivered: u64,
    /// Without `feed.every_ms`: how often no message arrived for a second, so that the next one was
    /// published nevertheless.
    pub stalls: u64,
}

merge!(PublishSection { published: each });

merge!(fn merge_fields of PublishedRow {
    messages: sum,
    rate_per_s: sum,
    delivered_rate_per_s: sum,
    rate_growth: derived,
    undelivered: sum,
    stalls: sum,
});

impl Merge for PublishedRow {
    fn merge(&mut self, other: &Self) {
        self.rate_growth = merged_growth(
            [self.messages, other.messages],
            [self.rate_growth, other.rate_growth],
        );
        self.merge_fields(other);
    }
}

/// Counts of the publishers.
#[derive(Debug, Default, Clone, Copy)]
pub struct PublishCounts {
    published: u64,
    /// Messages among them that were due in the first half of the window.
    published_early: u64,
    /// Messages due within the window that the engine was too late to publish.
    overdue: u64,
    undelivered: u64,
    stalls: u64,
}

merge!(PublishCounts {
    published: sum,
    published_early: sum,
    overdue: sum,
    undelivered: sum,
    stalls: sum,
});

/// The `publish` workload.
#[derive(Debug)]
pub struct Publish {
    consumer: SlowConsumer,
    /// Number of subscribers, which are the first connections.
    subscribers: usize,
    publishers: usize,
    /// Number of subscribers that are not slow.
    awaited: usize,
    encoder: FeedEncoder,
    stocks_count: usize,
    /// Interval at which messages are due; `None` if the window holds them up.
    interval_ns: Option<Nanos>,
    window: u64,
    timetable: Timetable,
    /// Number of the next message.
    next: u64,
    /// The publisher that sends it next.
    turn: usize,
    /// Number of messages that all publishers have sent.
    published: u64,
    /// Instant at which the last of them was.
    published_at: Nanos,
    /// Messages received by subscribers that are not slow, at any time.
    delivered: u64,
    /// Whether the window is over, so that nothing more is published without an interval.
    has_stopped: bool,
    /// Whether a message was not delivered in time.
    has_lost: bool,
    /// Whether the load is divided into slices.
    has_slices: bool,
    stocks: Vec<Stock>,
    payload: Vec<u8>,
    counts: PublishCounts,
}

impl Publish {
    /// Returns when the next message is due; later than the window if it has ended.
    fn due_at(&self) -> Nanos {
        if let Some(interval_ns) = self.interval_ns {
            let after_ns = interval_ns.saturating_mul(self.next);
            return self.timetable.started_at.saturating_add(after_ns);
        }
        if self.turn > 0 || !self.is_held_up() {
            return self.published_at.max(self.timetable.started_at);
        }
        self.published_at + STALLED_NS
    }

    /// Whether the window holds up the next message.
    fn is_held_up(&self) -> bool {
        self.interval_ns.is_none() && self.undelivered() >= self.window * self.awaited as u64
    }

    /// Returns the number of deliveries that are awaited.
    fn undelivered(&self) -> u64 {
        (self.published * self.awaited as u64).saturating_sub(self.delivered)
    }

    /// Counts the deliveries that are awaited as lost; what is lost holds up nothing.
    fn note_lost(&mut self) {
        self.has_lost |= self.undelivered() > 0;
        self.counts.undelivered += self.undelivered();
        self.delivered = self.published * self.awaited as u64;
    }

    /// Encodes the next message, unless another publisher has sent it.
    fn prepare(&mut self, due: Nanos) {
        if self.turn > 0 {
            return;
        }
        self.stocks.clear();
        if self.encoder.kind == FeedKind::Stocks {
            stocks_of_message(self.next, self.stocks_count, &mut self.stocks);
        }
        self.payload.clear();
        self.encoder
            .encode(self.next, due, &self.stocks, &mut self.payload);
    }
}

impl Workload for Publish {
    type Counts = PublishCounts;

    fn begin(&mut self, timetable: &Timetable) {
        self.timetable = timetable.clone();
        self.consumer.begin(timetable);
    }

    fn begin_slice(&mut self, timetable: &Timetable) {
        self.has_slices = true;
        // A late delivery would be taken for that of another message.
        if !self.has_lost {
            self.timetable = timetable.clone();
            self.has_stopped = false;
            self.consumer.begin(&Timetable {
                window: timetable.window.start..timetable.drained_at,
                ..timetable.clone()
            });
        }
    }

    fn swap_records(&mut self, others: &mut (Records, PublishCounts)) {
        swap(self.consumer.records(), &mut others.0);
        swap(&mut self.counts, &mut others.1);
    }

    fn answered(&self) -> u64 {
        self.consumer.messages()
    }

    fn has_lost(&self) -> bool {
        self.has_lost
    }

    fn started(
        &mut self,
        connection: usize,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if connection < self.subscribers {
            return self.consumer.started(connection, outbox, now);
        }
        Ok(())
    }

    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if connection >= self.subscribers {
            return Ok(());
        }
        self.delivered += u64::from(!self.consumer.is_slow(connection));
        self.consumer.received(connection, message, outbox, now)
    }

    fn next_due(&self) -> Option<(Nanos, usize)> {
        let due = self.due_at();
        let is_planned = !self.has_stopped && due < self.timetable.window.end;
        // All publishers send what one has sent.
        (is_planned || self.turn > 0).then_some((due, self.subscribers + self.turn))
    }

    fn send_due(&mut self, outbox: Option<&mut Outbox>, now: Nanos) -> Result<(), RecordError> {
        let due = self.interval_ns.map_or(now, |_| self.due_at());
        if self.turn == 0 && self.is_held_up() {
            self.counts.stalls += 1;
            self.note_lost();
        }
        self.prepare(due);
        if let Some(outbox) = outbox {
            outbox.send(self.encoder.opcode(), &self.payload, None);
            self.consumer.records().sent_total += 1;
        }
        self.turn += 1;
        if self.turn < self.publishers {
            return Ok(());
        }
        self.turn = 0;
        self.next += 1;
        self.published += 1;
        self.published_at = now;
        if self.timetable.window.contains(&due) {
            self.counts.published += 1;
            self.counts.published_early += u64::from(self.timetable.is_in_first_half(due));
            if self.interval_ns.is_some() {
                let recorder = &mut self.consumer.records().latencies.recorder;
                recorder.record_sent(due, now)?;
            }
        }
        Ok(())
    }

    fn skip_due(&mut self) {
        self.counts.overdue += u64::from(self.timetable.window.contains(&self.due_at()));
        self.turn = 0;
        self.next += 1;
    }

    fn stop_sending(&mut self, now: Nanos) {
        self.timetable.window.end = now;
        self.has_stopped = self.interval_ns.is_none();
        if !self.has_slices {
            self.consumer.stop_sending(now);
        }
    }

    fn closed(&mut self, connection: usize) {
        if connection < self.subscribers {
            self.consumer.closed(connection);
        }
    }

    fn expects_close(&self, code: u16) -> bool {
        self.consumer.expects_close(code)
    }

    fn give_up(&mut self, now: Nanos) {
        if self.has_slices {
            self.consumer.stop_sending(now);
        }
        self.note_lost();
    }

    fn slow_readers(&mut self) -> Option<&mut SlowReaders> {
        self.consumer.slow_readers()
    }

    fn records(&mut self) -> &mut Records {
        self.consumer.records()
    }

    fn into_records(self) -> (Records, PublishCounts) {
        let (records, _) = self.consumer.into_records();
        (records, self.counts)
    }

    fn has_pending(&self) -> bool {
        self.undelivered() > 0
    }
}

#[cfg(test)]
#[path = "tests/publish.rs"]
mod tests;
