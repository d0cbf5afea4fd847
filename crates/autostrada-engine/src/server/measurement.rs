//! What is measured of one connection, and the line that says so.

use std::collections::BTreeMap;

use autostrada_measure::Nanos;
use autostrada_net::{Transport, clock};
use autostrada_observe::{Reading, TcpInfo};

use super::observed::{Observed, between};
use super::sending::Count;
use crate::ended::Ended;
use crate::line::ServeResult;

/// What is known at the first byte.
#[derive(Debug)]
pub struct Measurement {
    readings: BTreeMap<String, Reading>,
    first_sent_ns: Nanos,
    thread_cpu_ns: Nanos,
    /// Appended before: the response to the handshake.
    pub control_bytes: u64,
}

/// What a connection was sent.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Handed to the kernel.
    pub count: Count,
    /// Whether that is all.
    pub has_all: bool,
    /// After the handshake.
    pub wire_bytes: u64,
    /// That handed over messages.
    pub write_calls: u64,
    /// After the last message.
    pub last_sent_ns: Nanos,
    /// Without room while messages were left.
    pub blocked_ns: Nanos,
}

/// How a connection ended, as its peer would have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerEnd {
    /// By a closing frame, or the end of the stream; with its code.
    Closed(Option<u16>),
    /// The connection broke.
    Reset,
    /// The peer broke the protocol.
    Violation,
}

impl Measurement {
    /// Begins: reads the processes and the clocks.
    pub fn begin(observed: &Observed, control_bytes: u64) -> Self {
        Self {
            readings: observed.read(),
            first_sent_ns: clock::now(),
            thread_cpu_ns: clock::thread_cpu(),
            control_bytes,
        }
    }

    /// Ends at an instant that was read before anything else was done.
    pub fn end(
        &self,
        traffic: &Traffic,
        end: PeerEnd,
        closed_ns: Nanos,
        transport: &Transport,
        observed: &Observed,
    ) -> ServeResult {
        ServeResult {
            messages: traffic.count.messages,
            bytes: traffic.count.bytes,
            acknowledged_bytes: self.acknowledged(transport),
            wire_bytes: traffic.wire_bytes,
            write_calls: traffic.write_calls,
            first_sent_ns: self.first_sent_ns,
            last_sent_ns: traffic.last_sent_ns,
            closed_ns,
            busy_ns: clock::thread_cpu() - self.thread_cpu_ns,
            blocked_ns: traffic.blocked_ns,
            close_code: match end {
                PeerEnd::Closed(code) => code,
                _ => None,
            },
            ended: match end {
                PeerEnd::Closed(_) if traffic.has_all => Ended::Complete,
                PeerEnd::Closed(_) => Ended::Closed,
                PeerEnd::Reset => Ended::Reset,
                PeerEnd::Violation => Ended::Violation,
            },
            congestion_control: transport.stream().congestion_control().unwrap_or_default(),
            processes: between(&self.readings, &observed.read()),
        }
    }

    fn acknowledged(&self, transport: &Transport) -> Option<u64> {
        if transport.is_encrypted() {
            return None;
        }
        match transport.stream().tcp_info() {
            Ok(info) => {
                let info = TcpInfo::parse(&info)?;
                Some(info.acknowledged_bytes.saturating_sub(self.control_bytes))
            }
            Err(error) => {
                crate::log(&format!("cannot ask what was acknowledged: {error}"));
                None
            }
        }
    }
}
