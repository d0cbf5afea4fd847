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
mod tests {
    use serde_json::{Value, json};

    use super::super::measurement::Measurement;
    use super::super::measurement::tests::measurement;
    use super::*;

    /// Returns the end screen of a load whose result line was changed.
    fn screen(change: impl FnOnce(&mut Value)) -> String {
        screen_of(measurement(|line| {
            line["connections"] = json!(1_000);
            change(line);
        }))
    }

    fn screen_of(load: Measurement) -> String {
        end_screen(None, &LoadReport::new(load, Vec::new(), &[]))
    }

    #[test]
    fn an_open_loop_has_rates_times_and_the_limit() {
        let screen = screen(|_| {});
        let expected = "\
what was asked

answered        50,000 messages, 5,000/s of 10,000/s offered (50.0 %)
response time   p50 1.02 µs   p90 1.02 µs   p99 1.02 µs
                p99.9 1.05 ms   p99.99 1.05 ms   max 1.05 ms
  since sent    p50 1.02 µs   p90 1.02 µs   p99 1.02 µs
                p99.9 1.02 µs   p99.99 1.02 µs   max 1.02 µs
  a connection  0 to 80 answers, with the warm-up; 3 were never answered
connections     1,000 opened; medians: TCP 102 µs, upgrade 205 µs
bytes           1.23 MB received, 999 B sent
failures        none
limit           not the load generator: its busiest thread used 25.0 % of a core

     < 2.05 µs  ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■ 99
     < 4.10 µs   0
     < 8.19 µs   0
     < 16.4 µs   0
     < 32.8 µs   0
     < 65.5 µs   0
      < 131 µs   0
      < 262 µs   0
      < 524 µs   0
     < 1.05 ms   0
     < 2.10 ms  ■ 1
";
        assert_eq!(screen, expected);
        assert!(screen.lines().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn a_rate_that_is_not_steady_is_named() {
        let second_half = |growth: f64| {
            let screen = screen(|line| line["exchange"]["rate_growth"] = json!(growth));
            let line = screen.lines().find(|line| line.contains("not steady"));
            line.map(str::to_owned)
        };
        let expected =
            "  not steady    1.40 times as many in the second half as in the first: warm up";
        assert_eq!(second_half(1.4).as_deref(), Some(expected));
        let expected = "  not steady    0.70 times as many in the second half as in the first";
        assert_eq!(second_half(0.7).as_deref(), Some(expected));
        assert_eq!(second_half(1.2), None);
    }

    #[test]
    fn without_answers_messages_are_counted() {
        let mut load = measurement(|line| {
            line["exchange"] = Value::Null;
            line["failures"] = json!([{"kind": "read", "count": 3, "example": "reset"}]);
            line["generator_limited"] = json!("its thread was busy");
            line["utilizations"] = json!([0.95]);
        });
        load.server = Some(ServerUsage {
            cpu_utilization: 0.991,
            busiest_thread_share: None,
            resident_bytes_max: 45_300_000,
        });
        let screen = screen_of(load);
        assert!(
            screen.contains("received        12,345 messages, 1,234/s\n"),
            "{screen}"
        );
        assert!(
            screen.contains("failures        3 × read: reset\n"),
            "{screen}"
        );
        let server = "server          99.1 % of a core, 45.3 MB of memory\n";
        assert!(screen.contains(server), "{screen}");
        let limit = "the load generator: its thread was busy; the server may do more\n";
        assert!(screen.contains(limit), "{screen}");
    }

    #[test]
    fn a_broadcast_has_the_deliveries_that_were_due() {
        let deliveries = |change: fn(&mut Value)| {
            let screen = screen(|line| {
                line["exchange"]["deliveries"] = json!({
                    "messages": 100, "every": 1, "connections": 40, "receivers_max": 40,
                    "receivers": 40, "due": 4000, "lost": 188, "achieved_share": 0.953,
                    "last_receiver_time_ns": [], "most_lost": {"connection": 7, "lost": 12},
                });
                change(&mut line["exchange"]["deliveries"]);
            });
            let (_, rest) = screen.split_once("deliveries      ").unwrap();
            let (text, _) = rest.split_once("\nresponse").unwrap();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let known = deliveries(|_| {});
        assert_eq!(
            known,
            "4,000 due, 188 lost (4.70 %); connection 7 lost most, 12"
        );
        let unknown = deliveries(|row| {
            row["receivers_max"] = json!(38);
            row["due"] = Value::Null;
        });
        let expected = "not known how many were due: no message reached all 40 connections, but at \
                        most 38; --receivers 40 says that each is for all";
        assert_eq!(unknown, expected);
    }

    #[test]
    fn a_storm_has_the_time_until_connections_were_open_again() {
        let screen = screen(|line| {
            line["exchange"] = Value::Null;
            line["recovery"] = json!({
                "recovered": 3990, "dropped": 4000, "attempts": 4010, "recovered_ns": null,
                "recovery_time_ns": [[1_048_576, 3990]],
            });
        });
        let expected = "\
reconnected     3,990 of 4,000 dropped, in 4,010 attempts
  after         p50 1.05 ms";
        assert!(screen.contains(expected), "{screen}");
    }

    #[test]
    fn long_texts_are_broken_between_words() {
        let reason = "its only thread was busy for 99.5 % of the window, and it was late";
        let screen = screen(|line| {
            line["generator_limited"] = json!(reason);
            line["utilizations"] = json!([0.95]);
        });
        assert!(
            screen.lines().all(|line| line.chars().count() <= 80),
            "{screen}"
        );
        let end =
            "99.5 % of the\n                window, and it was late; the server may do more\n";
        assert!(screen.contains(end), "{screen}");
        assert_eq!(named("", &"x".repeat(100), 80).len(), 1);
    }
}
