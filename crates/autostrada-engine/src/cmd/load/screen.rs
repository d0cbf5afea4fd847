//! What `load` prints: a line a second, and the end screen.

use std::fmt::Write as _;

use super::bars::bars;
use super::limit::in_flight as in_flight_text;
use super::metrics::QUANTILES;
use super::remedy::remedy;
use super::report::LoadReport;
use super::times::{at_quantile, histogram};
use super::watched::ServerUsage;
use super::written::{
    NAME_WIDTH, duration, duration_ns, percent, whole, whole_bytes, whole_number,
};
use crate::client::{
    Answers, Buckets, ExchangeRow, FailureRow, LoadResult, LoadSecond, PingsRow, RecoveryRow,
};

/// Width of the screen.
const SCREEN_WIDTH: usize = 80;

/// Largest ratio of the answers in the second half to those in the first, or its inverse, of a rate
/// that is steady.
const GROWTH_MAX: f64 = 1.25;

/// Returns the end screen of a load. `in_flight` is the number of messages in flight in a closed
/// loop.
pub fn end_screen(in_flight: Option<f64>, report: &LoadReport) -> String {
    let load = &report.measured;
    let result = &load.result;
    let mut screen = format!("{}\n\n", load.asked);
    let mut line = |name: &str, text: &str| {
        let mut name = name;
        for text in wrapped(text) {
            let _ = writeln!(screen, "{name:NAME_WIDTH$}{text}");
            name = "";
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
    let read = whole_bytes(result.read_bytes);
    let written = whole_bytes(result.written_bytes);
    line("bytes", &format!("{read} received, {written} sent"));
    for (index, host) in load.hosts.iter().enumerate() {
        line(if index == 0 { "hosts" } else { "" }, &host.words());
    }
    failures(&mut line, result);
    if let Some(usage) = &load.server {
        line("server", &server(usage));
    }
    line("limit", &report.limit);
    let recovered = || histogram(&load.recovery()?.recovery_time_ns);
    if let Some(times) = load.response_times().or_else(recovered) {
        screen.push('\n');
        screen += &bars(&times);
    }
    screen
}

/// Adds the lines of messages that are answered.
fn exchanged(
    line: &mut impl FnMut(&str, &str),
    exchange: &ExchangeRow,
    in_flight: Option<f64>,
    window_s: f64,
) {
    line("answered", &answered(exchange, window_s));
    if let Some(text) = exchange.rate_growth.and_then(unsteady) {
        line("  not steady", &text);
    }
    let unanswered = exchange.unanswered();
    if unanswered > 0 {
        let [unanswered, due] = [unanswered, exchange.due()].map(whole_number);
        line(
            "unanswered",
            &format!("{unanswered} of {due} messages that were due"),
        );
    }
    if exchange.others > 0 {
        let others = whole_number(exchange.others);
        line(
            "others",
            &format!("{others} received messages answered nothing"),
        );
    }
    let clocks = exchange.clock_bound_ns.map(|bound_ns| {
        let bound = duration_ns(bound_ns);
        format!("the clocks of the hosts differ by up to {bound}")
    });
    match clocks {
        Some(clocks) if exchange.response_time_ns.is_empty() => {
            line("response time", &format!("not known: {clocks}"));
        }
        clocks => {
            times(line, "response time", &exchange.response_time_ns);
            if let Some(text) = clocks {
                line("", &text);
            }
        }
    }
    let since_sent = (exchange.offered_rate_per_s.is_some()).then_some(&exchange.service_time_ns);
    for (name, buckets) in [
        ("  since sent", since_sent),
        ("  first message", Some(&exchange.first_message_time_ns)),
        ("  between", Some(&exchange.message_gap_ns)),
    ] {
        if let Some(buckets) = buckets.filter(|buckets| !buckets.is_empty()) {
            times(line, name, buckets);
        }
    }
    if let Some(text) = shares(&exchange.answers_per_connection) {
        line("  a connection", &text);
    }
    if let Some(text) = in_flight.and_then(|all| in_flight_text(exchange, all, window_s)) {
        line("in flight", &text);
    }
}

/// Returns a line about a second of the load.
pub fn second_line(second: &LoadSecond) -> String {
    let messages = whole_number(second.tally.messages);
    let mut text = format!("{:>4} s {messages:>12} messages", second.second + 1);
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
        if let Some(seconds) = at_quantile(second.times(), quantile) {
            let _ = write!(text, "   {name} {}", duration(seconds));
        }
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

/// Breaks a text into lines that fit beside the names. Blanks between metrics are kept; a word that
/// is longer than a line has its own.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = lines.last_mut().expect("there is a line");
        let width = last.chars().count() + word.trim_end().chars().count();
        if width > SCREEN_WIDTH - NAME_WIDTH && !last.is_empty() {
            *last = last.trim_end().to_owned();
            lines.push(word.to_owned());
        } else {
            last.push_str(word);
        }
    }
    lines
}

/// Returns what the server's process used, in words.
pub fn server(usage: &ServerUsage) -> String {
    let share = percent(usage.cpu_utilization);
    let resident = whole_bytes(usage.resident_bytes_max);
    format!("{share} of a core, {resident} of memory")
}

/// Returns how many messages were answered, and at what rate.
fn answered(exchange: &ExchangeRow, window_s: f64) -> String {
    let completed = whole_number(exchange.completed);
    let mut text = format!("{completed} messages{}", rate(exchange.completed, window_s));
    if let Some(offered) = exchange.offered_rate_per_s {
        let _ = write!(text, " of {}/s offered", whole(offered));
        if let Some(share) = exchange.achieved_share {
            let _ = write!(text, " ({})", percent(share));
        }
    }
    text
}

/// Says how the rate of a closed loop changed within the measurement; `None` if it was steady.
fn unsteady(growth: f64) -> Option<String> {
    let remedy = if growth > GROWTH_MAX {
        ": warm up longer (--warm-up)"
    } else if growth < GROWTH_MAX.recip() {
        ""
    } else {
        return None;
    };
    Some(format!(
        "{growth:.2} times as many in the second half as in the first{remedy}"
    ))
}

/// Returns how many dropped connections were open again.
fn reconnected(recovery: &RecoveryRow) -> String {
    let counts = [recovery.recovered, recovery.dropped, recovery.attempts];
    let [recovered, dropped, attempts] = counts.map(whole_number);
    format!("{recovered} of {dropped} dropped, in {attempts} attempts")
}

/// Returns how many answers the connections received; `None` if no message was sent.
fn shares(answers: &Answers) -> Option<String> {
    let (least, most) = (whole_number(answers.least?), whole_number(answers.most));
    let mut text = format!("{least} to {most} answers, with the warm-up");
    if answers.connections_without > 0 {
        let without = whole_number(answers.connections_without);
        let _ = write!(text, "; {without} were never answered");
    }
    Some(text)
}

/// Adds a line with the quantiles of buckets; the line says so if there are none.
fn times(line: &mut impl FnMut(&str, &str), name: &str, buckets: &Buckets) {
    let quantiles: Vec<_> = QUANTILES
        .iter()
        .filter_map(|(name, quantile)| {
            let seconds = at_quantile(buckets, *quantile)?;
            Some(format!("{name} {}", duration(seconds)))
        })
        .collect();
    if quantiles.is_empty() {
        line(name, "no message was answered");
        return;
    }
    let (first, second) = quantiles.split_at(QUANTILES.len() / 2);
    line(name, &first.join("   "));
    line("", &second.join("   "));
}

/// Returns the round trips of pings.
fn pings(pings: &PingsRow) -> String {
    let quantiles = [("p50", 0.5), ("p99", 0.99), ("max", 1.0)];
    let times = quantiles.iter().filter_map(|(name, quantile)| {
        let seconds = at_quantile(&pings.round_trip_ns, *quantile)?;
        Some(format!("{name} {}", duration(seconds)))
    });
    let mut text = times.collect::<Vec<_>>().join("   ");
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
    let medians: Vec<_> = parts
        .iter()
        .filter_map(|(name, buckets)| {
            let seconds = at_quantile(buckets, 0.5)?;
            Some(format!("{name} {}", duration(seconds)))
        })
        .collect();
    if !medians.is_empty() {
        let _ = write!(text, "; medians: {}", medians.join(", "));
    }
    text
}

/// Returns ", N/s" for a count in a time; nothing without time.
#[expect(
    clippy::cast_precision_loss,
    reason = "a rate needs no more than 53 bits"
)]
fn rate(count: u64, seconds: f64) -> String {
    if seconds > 0.0 {
        format!(", {}/s", whole(count as f64 / seconds))
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::measured::Measured;
    use super::super::measured::tests::measured;
    use super::*;

    /// Returns the end screen of a load whose result line was changed.
    fn screen(change: impl FnOnce(&mut Value)) -> String {
        screen_of(measured(|line| {
            line["connections"] = json!(1_000);
            change(line);
        }))
    }

    fn screen_of(load: Measured) -> String {
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
        let mut load = measured(|line| {
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
        assert_eq!(wrapped(&"x".repeat(100)).len(), 1);
    }
}
