//! What `load` prints: a line a second, and the end screen.

mod exchange;

use std::fmt::Write as _;

use super::bars::bars;
use super::number_format::{named, per_s, percent, whole_bytes, whole_number};
use super::remedy::remedy;
use super::report::LoadReport;
use super::server_sampler::ServerUsage;
use super::times::{QUANTILES, quantiles};
use crate::client::{Buckets, FailureRow, LoadResult, LoadSecond, PingsRow, RecoveryRow};
use exchange::exchanged;

/// Width of the screen.
const SCREEN_WIDTH: usize = 80;

/// Quantiles of all times by their names: two lines of three.
const ALL_QUANTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("p99.99", 0.9999),
    ("max", 1.0),
];

/// Returns the end screen of a load. `in_flight` is the number of messages in flight in a closed
/// loop.
pub fn end_screen(in_flight: Option<f64>, report: &LoadReport) -> String {
    let load = &report.measurement;
    let result = &load.result;
    let mut screen = format!("{}\n\n", load.asked);
    let mut line = |name: &str, text: &str| {
        for line in named(name, text, SCREEN_WIDTH) {
            let _ = writeln!(screen, "{line}");
        }
    };
    if result.connections == 0 {
        failures(&mut line, result);
        return screen;
    }
    if let Some(why) = &report.incomplete {
        line("not complete", why);
    }
    if let Some(exchange) = load.exchange() {
        exchanged(&mut line, exchange, in_flight, load.window_s());
    } else if let Some(recovery) = load.recovery() {
        line("reconnected", &reconnected(recovery));
        if !recovery.recovery_time_ns.is_empty() {
            times(&mut line, "  after", &recovery.recovery_time_ns);
        }
    } else {
        let rate = rate(result.messages, load.window_s());
        let received = whole_number(result.messages);
        line("received", &format!("{received} messages{rate}"));
        if let Some(buckets) = &result.delivery_time_ns {
            times(&mut line, "delivery time", buckets);
        }
    }
    if let Some(text) = result.pings.as_ref().map(pings) {
        line("ping", &text);
    }
    line("connections", &connections(result));
    let read = whole_bytes(result.traffic.read_bytes);
    let written = whole_bytes(result.traffic.written_bytes);
    line("bytes", &format!("{read} received, {written} sent"));
    for (index, host) in load.hosts.iter().enumerate() {
        line(if index == 0 { "hosts" } else { "" }, &host.words());
    }
    failures(&mut line, result);
    if let Some(usage) = &load.server {
        line("server", &server(usage));
    }
    line("limit", &report.limit);
    let recovered = || load.recovery().map(|recovery| &recovery.recovery_time_ns);
    let times = load.response_times().or_else(recovered);
    if let Some(times) = times.filter(|times| !times.is_empty()) {
        screen.push('\n');
        screen += &bars(times);
    }
    screen
}

/// Returns a line about a second of the load.
pub fn second_line(second: &LoadSecond) -> String {
    let messages = whole_number(second.tally.messages);
    let mut text = format!("{:>4} s {messages:>12} messages", second.second + 1);
    for time in quantiles(second.times(), &QUANTILES[..2]) {
        let _ = write!(text, "   {time}");
    }
    if second.tally.failures > 0 {
        let failures = whole_number(second.tally.failures);
        let _ = write!(text, "   {failures} failures");
    }
    text
}

/// Adds a line for each kind of failure, and one about what to do if it is known.
fn failures(line: &mut impl FnMut(&str, &str), result: &LoadResult) {
    if result.failures.is_empty() {
        line("failures", "none");
    }
    for FailureRow {
        kind,
        count,
        example,
    } in &result.failures
    {
        let count = whole_number(*count);
        line("failures", &format!("{count} × {kind}: {example}"));
        if let Some(remedy) = remedy(kind, example) {
            line("", remedy);
        }
    }
}

/// Returns what the server's process used, in words.
pub fn server(usage: &ServerUsage) -> String {
    let share = percent(usage.cpu_utilization);
    let resident = whole_bytes(usage.resident_bytes_max);
    format!("{share} of a core, {resident} of memory")
}

/// Returns how many dropped connections were open again.
fn reconnected(recovery: &RecoveryRow) -> String {
    let counts = [recovery.recovered, recovery.dropped, recovery.attempts];
    let [recovered, dropped, attempts] = counts.map(whole_number);
    format!("{recovered} of {dropped} dropped, in {attempts} attempts")
}

/// Adds a line with the quantiles of buckets; the line says so if there are none.
fn times(line: &mut impl FnMut(&str, &str), name: &str, buckets: &Buckets) {
    let times = quantiles(buckets, &ALL_QUANTILES);
    if times.is_empty() {
        line(name, "no message was answered");
        return;
    }
    let (first, second) = times.split_at(times.len() / 2);
    line(name, &first.join("   "));
    line("", &second.join("   "));
}

/// Returns the round trips of pings.
fn pings(pings: &PingsRow) -> String {
    let mut text = quantiles(&pings.round_trip_ns, &QUANTILES).join("   ");
    let unanswered = pings.sent - pings.answered;
    if unanswered > 0 || text.is_empty() {
        let [unanswered, sent] = [unanswered, pings.sent].map(whole_number);
        let _ = write!(text, "   {unanswered} of {sent} unanswered");
    }
    text.trim_start().to_owned()
}

/// Returns the connections that opened, and how long that took.
fn connections(result: &LoadResult) -> String {
    let mut text = format!("{} opened", whole_number(result.connections));
    let parts = [
        ("TCP", &result.connect_tcp_time_ns),
        ("TLS", &result.connect_tls_time_ns),
        ("TLS resumed", &result.connect_tls_resumed_time_ns),
        ("upgrade", &result.connect_upgrade_time_ns),
    ];
    let medians = parts
        .iter()
        .flat_map(|(name, buckets)| quantiles(buckets, &[(*name, 0.5)]));
    let medians: Vec<_> = medians.collect();
    if !medians.is_empty() {
        let _ = write!(text, "; medians: {}", medians.join(", "));
    }
    text
}

/// Returns ", N/s" for a count in a time; nothing without time.
fn rate(count: u64, seconds: f64) -> String {
    if seconds > 0.0 {
        format!(", {}/s", per_s(count as f64 / seconds))
    } else {
        String::new()
    }
}

#[cfg(test)]
#[path = "tests/screen.rs"]
mod tests;
