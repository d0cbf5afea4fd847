//! Deliveries of messages that a server sends to many connections, by the instants in them.

use std::collections::HashMap;

use autostrada_measure::{Histogram, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client::buckets::{Buckets, buckets};
use crate::client::merge::Merge;
use crate::client::workload::kind::share;

/// Maximum number of instants that a thread remembers: of more, it keeps every second one.
const REMEMBERED_MAX: usize = 1 << 18;

/// Which connections of a thread received which messages.
#[derive(Debug, Clone, Default)]
pub struct Deliveries {
    /// The messages with each instant, whoever sent them.
    messages: HashMap<u64, Delivered>,
    /// One message in two to the power of this is remembered, chosen by its instant, so that all
    /// threads remember the same ones.
    every_log2: u32,
    /// What each connection sent and received, of the messages remembered.
    connections: Vec<OfConnection>,
    /// Number of connections that opened.
    opened: u64,
    /// Number of these that are open.
    open: u64,
    /// Whether all connections of the load belong to this thread.
    is_whole: bool,
    /// Whether a connection received a message that it had sent.
    is_sent_back: bool,
    /// Number of connections that each message is for; `None` if that is not known.
    receivers: Option<u64>,
}

/// The messages with one instant.
#[derive(Debug, Clone, Copy, Default)]
struct Delivered {
    /// How many of them were due within the window and sent.
    sent: u64,
    /// The connection that sent the last of these.
    sender: usize,
    received: u64,
    /// Those of `received` that count for the achieved share.
    in_time: u64,
    /// Longest time from the instant to a receiver.
    last_ns: Nanos,
}

#[derive(Debug, Clone, Copy, Default)]
struct OfConnection {
    sent: u64,
    received: u64,
}

impl Deliveries {
    /// Creates the record of a thread that has this many connections; `is_whole` if there are no
    /// others. Each message is for `receivers` of all connections; `None` if that is not known.
    pub fn new(connections: usize, is_whole: bool, receivers: Option<u64>) -> Self {
        Self {
            connections: vec![OfConnection::default(); connections],
            is_whole,
            receivers,
            ..Self::default()
        }
    }

    /// Notes that a connection has opened.
    pub fn note_opened(&mut self) {
        self.opened += 1;
        self.open += 1;
    }

    /// Notes that a connection has ended.
    pub fn note_closed(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Records a message that was due within the window, when it is sent.
    pub fn record_sent(&mut self, connection: usize, instant: u64) {
        if !self.keeps(instant) {
            return;
        }
        let message = self.messages.entry(instant).or_default();
        message.sent += 1;
        message.sender = connection;
        self.connections[connection].sent += 1;
        self.thin();
    }

    /// Records a received message, `age_ns` after the instant in it.
    pub fn record_received(
        &mut self,
        connection: usize,
        instant: u64,
        age_ns: Nanos,
        is_in_time: bool,
    ) {
        if !self.keeps(instant) {
            return;
        }
        let message = self.messages.entry(instant).or_default();
        message.received += 1;
        message.in_time += u64::from(is_in_time);
        message.last_ns = message.last_ns.max(age_ns);
        if message.sent > 0 {
            self.connections[connection].received += 1;
            self.is_sent_back |= message.sender == connection;
        }
        self.thin();
    }

    /// Whether messages may still be received: all have been if each connection has each of them.
    /// Not known of a thread that has a part of the connections.
    pub fn are_awaited(&self) -> bool {
        let (sent, received) = self
            .connections
            .iter()
            .fold((0, 0), |(sent, received), of| {
                (sent + of.sent, received + of.received)
            });
        let receivers = self.receivers.unwrap_or_else(|| self.all(self.open));
        sent > 0 && (!self.is_whole || received < sent * receivers)
    }

    /// Returns how many of this many connections receive a message that is for all.
    fn all(&self, connections: u64) -> u64 {
        connections.saturating_sub(u64::from(!self.is_sent_back))
    }

    fn keeps(&self, instant: u64) -> bool {
        let mixed = instant.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        mixed & ((1 << self.every_log2) - 1) == 0
    }

    fn thin(&mut self) {
        while self.messages.len() > REMEMBERED_MAX {
            self.thin_to(self.every_log2 + 1);
        }
    }

    fn thin_to(&mut self, every_log2: u32) {
        self.every_log2 = every_log2;
        let mut messages = std::mem::take(&mut self.messages);
        messages.retain(|instant, _| self.keeps(*instant));
        self.messages = messages;
    }

    /// Returns the result; `not_sent` messages were due within the window and not sent. `None` if no
    /// message with an instant was sent.
    pub fn row(&self, not_sent: u64) -> Option<DeliveriesRow> {
        let sent = || self.messages.values().filter(|message| message.sent > 0);
        let every = 1 << self.every_log2;
        let messages = sent().map(|message| message.sent).sum();
        let reached = sent().map(|message| message.received / message.sent);
        let receivers_max = reached.max()?;
        let all = self.all(self.opened);
        let for_all = (receivers_max >= all).then_some(all);
        let mut row = DeliveriesRow {
            messages,
            every,
            connections: self.opened,
            receivers_max,
            receivers: self.receivers.or(for_all),
            due: None,
            lost: None,
            achieved_share: None,
            last_receiver_time_ns: Buckets::new(),
            most_lost: None,
        };
        let Some(receivers) = row.receivers else {
            return Some(row);
        };
        let (mut lost, mut in_time, mut last_ns) = (0, 0, Histogram::new());
        for message in sent() {
            let due = message.sent * receivers;
            lost += due.saturating_sub(message.received);
            in_time += message.in_time.min(due);
            if message.received >= due {
                let result = last_ns.record(message.last_ns);
                result.expect("messages that are older than an hour are not recorded");
            }
        }
        let all_due = (messages * every + not_sent) * receivers;
        row.due = Some(messages * receivers);
        row.lost = Some(lost);
        row.achieved_share = Some(share(in_time * every, all_due).min(1.0));
        row.last_receiver_time_ns = buckets(&last_ns);
        if self.is_whole && every == 1 && receivers == all {
            row.most_lost = self.most_lost(messages);
        }
        Some(row)
    }

    /// Returns the connection that lost most of the messages, which are for all.
    fn most_lost(&self, messages: u64) -> Option<LostRow> {
        let lost = |of: &OfConnection| {
            let own = if self.is_sent_back { 0 } else { of.sent };
            (messages - own).saturating_sub(of.received)
        };
        let losses = self.connections.iter().map(lost).zip(0..);
        let most = losses.max_by_key(|(lost, connection)| (*lost, std::cmp::Reverse(*connection)));
        most.filter(|(lost, _)| *lost > 0)
            .map(|(lost, connection)| LostRow { connection, lost })
    }
}

/// Messages that are remembered by both parts are added; one part does not know which messages of
/// the other its connections received.
impl Merge for Deliveries {
    fn merge(&mut self, other: &Self) {
        self.thin_to(self.every_log2.max(other.every_log2));
        for (instant, theirs) in &other.messages {
            if self.keeps(*instant) {
                let ours = self.messages.entry(*instant).or_default();
                ours.sent += theirs.sent;
                ours.received += theirs.received;
                ours.in_time += theirs.in_time;
                ours.last_ns = ours.last_ns.max(theirs.last_ns);
            }
        }
        self.opened += other.opened;
        self.is_sent_back |= other.is_sent_back;
        self.is_whole &= other.opened == 0;
    }
}

/// Deliveries of the messages that the connections of the load sent to each other through the
/// server, by the instants in them.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Deliveries")]
pub struct DeliveriesRow {
    /// Messages that were due within the window and sent, of which one in `every` is counted.
    pub messages: u64,
    /// One message in this many is counted, here and below: 1 unless there are very many.
    pub every: u64,
    /// Number of connections that opened.
    pub connections: u64,
    /// Largest number of connections that received one of the messages.
    pub receivers_max: u64,
    /// Number of connections that each message is for: as the plan says, or else all, without the
    /// sender if no sender received a message of its own. Null if the plan does not say, and no
    /// message reached all.
    pub receivers: Option<u64>,
    /// Deliveries that were due: `messages` × `receivers`.
    pub due: Option<u64>,
    /// Deliveries of these that were not received before the drain ended.
    pub lost: Option<u64>,
    /// Share of the deliveries that were due within the window, also those of messages that were
    /// not sent, that the server kept up with, 0 to 1: it is 1 if each is received within 100 ms
    /// (or `drain_s` if that is shorter).
    pub achieved_share: Option<f64>,
    /// Time from the instant in a message until the last of its receivers had it, in nanoseconds,
    /// of messages that all of them received.
    pub last_receiver_time_ns: Buckets,
    /// The connection that lost most messages; null if none was lost, if messages are not for all
    /// connections, if not all messages are counted, and with several threads.
    pub most_lost: Option<LostRow>,
}

impl DeliveriesRow {
    /// Returns the share of the deliveries that were due which were lost; `None` if it is not known
    /// how many were due.
    pub fn lost_share(&self) -> Option<f64> {
        Some(share(self.lost?, self.due?))
    }
}

/// A connection that lost messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "LostDeliveries")]
pub struct LostRow {
    /// Its number, from 0.
    pub connection: u64,
    /// Messages that it did not receive.
    pub lost: u64,
}

#[cfg(test)]
#[path = "tests/deliveries.rs"]
mod tests;
