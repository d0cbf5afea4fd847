//! Metrics of a running load over HTTP, in the text format of Prometheus, version 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::limits;

use crate::client::{LoadSecond, Tally};
use crate::plan::PlanError;

/// How long a client may take to send its request or to read the answer.
const CLIENT_LIMIT: Duration = Duration::from_secs(1);

/// Maximum length of a request, in bytes.
const REQUEST_BYTES_MAX: usize = 16 * 1024;

/// The powers of two that bound the buckets of times, in nanoseconds: 16 µs to 34 s.
const POWERS: std::ops::RangeInclusive<u32> = 14..=35;

/// Serves the metrics of a load until the process ends.
#[derive(Debug)]
pub struct Exporter {
    totals: Arc<Mutex<Totals>>,
}

/// What was counted since the load began.
#[derive(Debug, Default)]
struct Totals {
    tally: Tally,
    failures: BTreeMap<&'static str, u64>,
    /// Number of times up to two to this power of nanoseconds, and above the power before.
    times: BTreeMap<u32, u64>,
    sum_ns: f64,
}

impl Exporter {
    /// Listens at an address, and logs it: with the port 0 the kernel chooses one.
    /// Returns an error if the address is not `IP:PORT`, or is taken.
    pub fn start(address: &str) -> Result<Self, PlanError> {
        let wrong = |error: io::Error| PlanError::new(format!("--prometheus {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(wrong)?;
        let bound = listener.local_addr().map_err(wrong)?;
        crate::log(&format!("metrics: http://{bound}/metrics"));
        let totals = Arc::default();
        let served = Arc::clone(&totals);
        thread::spawn(move || serve(&listener, &served));
        Ok(Self { totals })
    }

    /// Adds a second.
    pub fn add(&self, second: &LoadSecond) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.add(second);
    }
}

/// Answers each request with the metrics.
///
/// Runs at a lower priority than the sending threads, so that an answer does not delay a message
/// that is due.
fn serve(listener: &TcpListener, totals: &Mutex<Totals>) {
    // Without the lower priority, answers take a little from the load generator.
    let _ = limits::use_idle_priority();
    for client in listener.incoming().flatten() {
        let text = totals.lock().unwrap_or_else(PoisonError::into_inner).text();
        // A client that is gone or too slow gets no answer.
        let _ = answer(client, &text);
    }
}

fn answer(mut client: TcpStream, text: &str) -> io::Result<()> {
    client.set_read_timeout(Some(CLIENT_LIMIT))?;
    client.set_write_timeout(Some(CLIENT_LIMIT))?;
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < REQUEST_BYTES_MAX {
        let mut bytes = [0; 1024];
        match client.read(&mut bytes)? {
            0 => break,
            length => request.extend_from_slice(&bytes[..length]),
        }
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        text.len()
    );
    client.write_all(head.as_bytes())?;
    client.write_all(text.as_bytes())
}

impl Totals {
    fn add(&mut self, second: &LoadSecond) {
        self.tally += second.tally;
        for (kind, count) in FailureKind::ALL.iter().zip(second.tally.failures_by_kind) {
            *self.failures.entry(kind.name()).or_default() += count;
        }
        self.add_times(second.times());
    }

    fn add_times(&mut self, times: &[(Nanos, u64)]) {
        for &(lowest_ns, count) in times {
            let power = lowest_ns.max(1).ilog2() + 1;
            *self.times.entry(power).or_default() += count;
            self.sum_ns += lowest_ns as f64 * count as f64;
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut add = |name: &str, kind: &str, help: &str, value: &str| {
            let _ = write!(
                text,
                "# HELP autostrada_{name} {help}\n# TYPE autostrada_{name} {kind}\n{value}"
            );
        };
        let mut add_one = |name: &str, kind: &str, help: &str, value: f64| {
            add(name, kind, help, &format!("autostrada_{name} {value}\n"));
        };
        let tally = &self.tally;
        let open = tally.opened.saturating_sub(tally.closed) as f64;
        let cpu_s = tally.busy_ns as f64 / 1e9;
        let (messages, sent, opened) = (tally.messages, tally.sent, tally.opened);
        let counter = "counter";
        add_one(
            "messages_total",
            counter,
            "Messages received.",
            messages as f64,
        );
        add_one("sent_total", counter, "Messages sent.", sent as f64);
        let help = "Connections opened.";
        add_one("connections_opened_total", counter, help, opened as f64);
        let help = "Connections that are open.";
        add_one("connections_open", "gauge", help, open);
        let help = "CPU time of the load generator.";
        add_one("generator_cpu_seconds_total", counter, help, cpu_s);
        let mut failures = String::new();
        for (kind, count) in &self.failures {
            let _ = writeln!(
                failures,
                "autostrada_failures_total{{kind=\"{kind}\"}} {count}"
            );
        }
        add("failures_total", "counter", "Failures by kind.", &failures);
        let name = "response_time_seconds";
        let help = "Response time, from when a message was due, or delivery time of a feed.";
        add(name, "histogram", help, &self.histogram(name));
        text
    }

    fn histogram(&self, name: &str) -> String {
        let mut text = String::new();
        let mut below: u64 = self
            .times
            .range(..POWERS.start())
            .map(|(_, count)| count)
            .sum();
        for power in POWERS {
            below += self.times.get(&power).copied().unwrap_or(0);
            let bound = f64::from(power).exp2() / 1e9;
            let _ = writeln!(text, "autostrada_{name}_bucket{{le=\"{bound}\"}} {below}");
        }
        let all: u64 = self.times.values().sum();
        let _ = write!(
            text,
            "autostrada_{name}_bucket{{le=\"+Inf\"}} {all}\nautostrada_{name}_sum {}\n\
             autostrada_{name}_count {all}\n",
            self.sum_ns / 1e9
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_buckets_that_contain_those_below() {
        let mut totals = Totals::default();
        totals.add_times(&[(1_000, 2), (20_000, 3), (1_048_576, 4)]);
        totals.failures.insert("connect", 7);
        totals.tally.messages = 9;
        let text = totals.text();
        for line in [
            "# TYPE autostrada_messages_total counter",
            "autostrada_messages_total 9",
            "autostrada_failures_total{kind=\"connect\"} 7",
            "autostrada_response_time_seconds_bucket{le=\"0.000016384\"} 2",
            "autostrada_response_time_seconds_bucket{le=\"0.000032768\"} 5",
            "autostrada_response_time_seconds_bucket{le=\"0.002097152\"} 9",
            "autostrada_response_time_seconds_bucket{le=\"+Inf\"} 9",
            "autostrada_response_time_seconds_count 9",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}: {text}");
        }
    }
}
