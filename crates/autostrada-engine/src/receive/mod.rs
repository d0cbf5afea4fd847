//! The receive workload: connect, count what comes, close.

mod connection;
mod tally;

use std::io;
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{Nanos, Series};
use autostrada_net::{Events, Poll, Stream, Token, clock};
use autostrada_proto::frame::Opcode;
use autostrada_proto::repeat::RepeatedFrame;

use crate::line::{self, Ended, Line, LoadResult};
use crate::plan::{FORMAT, LoadPlan, LoadWorkload, Url};
use connection::{Connection, Progress};
use tally::Tally;

/// How much is read at once. One buffer serves all connections of a thread; it fits into
/// the second-level cache, from where the decoder then reads.
const READ_BYTES: usize = 256 * 1024;

/// How long a peer may take to end the stream after the closing handshake.
const CLOSING_NS: Nanos = 2_000_000_000;

/// What every connection of one load is to receive.
#[derive(Debug)]
struct Expected {
    messages: u64,
    /// Where each message must be the same: its frame.
    frame: Option<RepeatedFrame>,
    /// Its payload; empty where any message counts.
    payload: Vec<u8>,
}

impl Expected {
    /// Counts one message that did not come in the expected frame.
    ///
    /// Its content may be right all the same: fragmented, say.
    fn count(&self, opcode: Opcode, payload: &[u8], tally: &mut Tally) {
        let is_right = self.frame.is_none() || (opcode == Opcode::Text && payload == self.payload);
        if is_right {
            tally.count(1, payload.len() as u64);
        } else {
            tally.count_wrong(&format!("{opcode:?}").to_lowercase(), payload);
        }
    }
}

/// Carries out a plan and prints its result.
///
/// # Errors
///
/// When the plan cannot be carried out at all: nothing can be reached.
pub fn run(plan: &LoadPlan) -> anyhow::Result<()> {
    let url = Url::parse(&plan.url)?;
    let address = url.resolve()?;
    line::print(&Line::Ready {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        url: &plan.url,
    })?;
    let mut load = Load::new(plan)?;
    for index in 0..plan.connections {
        let mut stream =
            Stream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
        stream.register(load.poll.registry(), Token(index))?;
        load.connections.push(Connection::new(stream, &url)?);
    }
    let ended = load.run(clock::now() + plan.limit_s * 1_000_000_000)?;
    line::print(&Line::Load(&load.result(ended)))?;
    Ok(())
}

/// One thread that owns a poller and all connections.
struct Load {
    poll: Poll,
    connections: Vec<Connection>,
    expected: Expected,
    tally: Tally,
    series: Option<Series>,
    buffer: Vec<u8>,
}

impl Load {
    fn new(plan: &LoadPlan) -> anyhow::Result<Self> {
        let LoadWorkload::Receive { messages, payload } = &plan.workload;
        let text = payload.as_ref().map(|payload| payload.text.as_bytes());
        Ok(Self {
            poll: Poll::new()?,
            connections: Vec::new(),
            expected: Expected {
                messages: *messages,
                frame: text.map(|text| RepeatedFrame::new(Opcode::Text, text)),
                payload: text.unwrap_or_default().to_vec(),
            },
            tally: Tally::default(),
            series: None,
            buffer: vec![0; READ_BYTES],
        })
    }

    /// Runs until all connections are over, or the time is; says how the worst one ended.
    fn run(&mut self, mut ends_at: Nanos) -> anyhow::Result<Ended> {
        let mut events = Events::with_capacity(1024);
        let mut open = self.connections.len();
        let mut worst = Ended::Complete;
        while open > 0 {
            let now = clock::now();
            if now >= ends_at {
                return Ok(if self.has_all() {
                    worst
                } else {
                    Ended::Timeout
                });
            }
            let wakes_at = self.series.as_ref().map_or(ends_at, Series::ends_at);
            let timeout = wakes_at.min(ends_at).saturating_sub(now);
            match self
                .poll
                .poll(&mut events, Some(Duration::from_nanos(timeout)))
            {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(error).context("cannot poll");
                }
                _ => {}
            }
            for event in &events {
                if let Some(ended) = self.advance(event.token().0)? {
                    open -= 1;
                    if ended != Ended::Complete {
                        worst = ended;
                    }
                }
            }
            self.print_seconds(clock::now())?;
            if self.has_all() {
                ends_at = ends_at.min(self.tally.received_ns + CLOSING_NS);
            }
        }
        Ok(worst)
    }

    fn has_all(&self) -> bool {
        let planned = self
            .expected
            .messages
            .saturating_mul(self.connections.len() as u64);
        self.tally.messages == planned
    }

    /// Reads all that one connection has; returns how it ended, if it did just now.
    fn advance(&mut self, index: usize) -> anyhow::Result<Option<Ended>> {
        loop {
            let connection = &mut self.connections[index];
            let before = (self.tally.messages, self.tally.bytes);
            let progress = connection.advance(&mut self.buffer, &self.expected, &mut self.tally)?;
            let now = clock::now();
            if let Some(opened_ns) = self.tally.opened_ns {
                self.series.get_or_insert_with(|| Series::new(opened_ns));
            }
            self.print_seconds(now)?;
            if let Some(series) = &mut self.series {
                series.count(self.tally.messages - before.0, self.tally.bytes - before.1);
            }
            match progress {
                Progress::Runnable => {}
                Progress::Waiting => return Ok(None),
                Progress::Ended(ended) => return Ok(Some(ended)),
            }
        }
    }

    fn print_seconds(&mut self, now: Nanos) -> anyhow::Result<()> {
        if let Some(series) = &mut self.series {
            while let Some(second) = series.finish(now) {
                line::print(&second.into())?;
            }
        }
        Ok(())
    }

    fn result(&self, ended: Ended) -> LoadResult {
        let tally = &self.tally;
        if let Some(example) = &tally.wrong_example {
            crate::log(&format!(
                "{} wrong messages, the first: {example}",
                tally.wrong
            ));
        }
        let opened_ns = tally.opened_ns.unwrap_or_default();
        let busy_ns = tally.received_cpu_ns.saturating_sub(tally.opened_cpu_ns);
        LoadResult {
            connections: self
                .connections
                .iter()
                .filter(|one| one.has_opened())
                .count(),
            messages: tally.messages,
            bytes: tally.bytes,
            opened_ns,
            received_ns: tally.received_ns.max(opened_ns),
            wrong: tally.wrong,
            wire_bytes: tally.wire_bytes,
            read_calls: tally.read_calls,
            busy_share: share(busy_ns, tally.received_ns.saturating_sub(opened_ns)),
            ended,
        }
    }
}

/// `part / whole`, and 0 where there is no whole.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share needs no more than 53 bits"
)]
fn share(part: Nanos, whole: Nanos) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(text: Option<&str>) -> Expected {
        Expected {
            messages: 10,
            frame: text.map(|text| RepeatedFrame::new(Opcode::Text, text.as_bytes())),
            payload: text.unwrap_or_default().as_bytes().to_vec(),
        }
    }

    #[test]
    fn any_message_counts_where_none_is_expected() {
        let mut tally = Tally::default();
        expected(None).count(Opcode::Text, b"a", &mut tally);
        expected(None).count(Opcode::Binary, b"bc", &mut tally);
        assert_eq!((tally.messages, tally.bytes, tally.wrong), (2, 3, 0));
    }

    #[test]
    fn type_and_content_must_be_those_expected() {
        let mut tally = Tally::default();
        let expected = expected(Some("hello"));
        expected.count(Opcode::Text, b"hello", &mut tally);
        assert_eq!(tally.wrong, 0);
        expected.count(Opcode::Binary, b"hello", &mut tally);
        expected.count(Opcode::Text, b"hell", &mut tally);
        assert_eq!((tally.messages, tally.wrong), (3, 2));
        let example = tally.wrong_example.unwrap();
        assert_eq!(example, "binary of 5 bytes, \"hello\"");
    }

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert!((share(1, 4) - 0.25).abs() < f64::EPSILON);
        assert!(share(5, 0).abs() < f64::EPSILON);
    }
}
