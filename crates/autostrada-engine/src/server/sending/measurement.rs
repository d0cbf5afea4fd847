//! The measurement of one connection, and its result line.

use std::collections::BTreeMap;

use autostrada_measure::Nanos;
use autostrada_net::{Transport, clock};
use autostrada_observe::{Reading, TcpInfo};

use super::pings::Pings;
use super::send_accounting::Count;
use crate::ended::Ended;
use crate::line::ServeResult;
use crate::server::usage_reader::{UsageReader, between};

/// The state at the start of a measurement: clocks and resource usage before the first byte.
#[derive(Debug)]
pub struct Measurement {
    readings: BTreeMap<String, Reading>,
    first_sent_ns: Nanos,
    thread_busy_ns: Nanos,
    /// Bytes appended to the outbox before the measurement began: the response to the opening
    /// handshake.
    pub control_bytes: u64,
}

/// What the server sent on one connection.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Messages handed completely to the kernel.
    pub count: Count,
    /// Whether all planned messages were handed to the kernel.
    pub has_all: bool,
    /// Wire bytes handed to the kernel after the response to the opening handshake, pings included.
    pub wire_bytes: u64,
    /// Number of write calls that handed over bytes of messages.
    pub write_calls: u64,
    /// Instant after the last message was written, in nanoseconds; 0 if there was none, or if
    /// prepared frames ([`Push`](super::Push)) were not all sent.
    pub last_sent_ns: Nanos,
    /// Time during which the socket had no room while messages were left, in nanoseconds.
    pub blocked_ns: Nanos,
}

impl Measurement {
    /// Begins a measurement: reads the usage of the observed processes and the clocks.
    pub fn begin(usage_reader: &UsageReader, control_bytes: u64) -> Self {
        Self {
            readings: usage_reader.read(),
            first_sent_ns: clock::now(),
            thread_busy_ns: usage_reader.busy_ns(),
            control_bytes,
        }
    }

    /// Ends the measurement, and returns its result.
    ///
    /// `close_code`: that of the peer's closing frame, if there was one. `closed_ns`: the instant at
    /// which the end was detected, read before any other work.
    pub fn end(
        &self,
        traffic: &Traffic,
        pings: Option<&Pings>,
        (ended, close_code): (Ended, Option<u16>),
        closed_ns: Nanos,
        transport: &Transport,
        usage_reader: &UsageReader,
    ) -> ServeResult {
        let ping_bytes = pings.map_or(0, |pings| pings.sent_bytes);
        let info = tcp_info(transport);
        let acknowledged_bytes = info.filter(|_| !transport.is_encrypted()).map(|info| {
            let others = self.control_bytes + ping_bytes;
            info.counters.sent_bytes.saturating_sub(others)
        });
        ServeResult {
            messages: traffic.count.messages,
            bytes: traffic.count.bytes,
            acknowledged_bytes,
            wire_bytes: traffic.wire_bytes.saturating_sub(ping_bytes),
            write_calls: traffic.write_calls,
            first_sent_ns: self.first_sent_ns,
            last_sent_ns: traffic.last_sent_ns,
            closed_ns,
            // Time of a preempted thread may count as spun and not as CPU time.
            busy_ns: usage_reader.busy_ns().saturating_sub(self.thread_busy_ns),
            blocked_ns: traffic.blocked_ns,
            close_code,
            ended,
            pings: pings.map_or(0, |pings| pings.sent),
            pings_unanswered: pings.map_or(0, Pings::unanswered),
            marks: pings.map_or_else(Vec::new, |pings| pings.marks.clone()),
            round_trip_ns: info
                .filter(|info| info.round_trip_min_us != u32::MAX)
                .map(|info| Nanos::from(info.round_trip_min_us) * 1_000),
            congestion_control: transport.stream().congestion_control().unwrap_or_default(),
            processes: between(&self.readings, &usage_reader.read()),
        }
    }
}

fn tcp_info(transport: &Transport) -> Option<TcpInfo> {
    match transport.stream().tcp_info() {
        Ok(info) => TcpInfo::parse(&info),
        Err(error) => {
            crate::log(&format!(
                "cannot read the kernel's metrics of a connection: {error}"
            ));
            None
        }
    }
}
