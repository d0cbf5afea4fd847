//! What `load` prints: a line a second, and the end screen.

use std::fmt::Write as _;

use serde_json::Value;

use super::bars::bars;
use super::hosts;
use super::limit::{in_flight as in_flight_text, limit};
use super::metrics::{QUANTILES, histogram};
use super::remedy::remedy;
use super::written::{NAME_WIDTH, bytes, duration, duration_ns, percent, whole};

/// Width of the screen.
const SCREEN_WIDTH: usize = 80;

/// Largest ratio of the answers in the second half to those in the first, or its inverse, of a rate
/// that is steady.
const GROWTH_MAX: f64 = 1.25;

/// Returns the end screen of a result, the line that `docs/format.md` describes. `asked` is what
/// was asked for, and `in_flight` the number of messages in flight in a closed loop.
pub fn end_screen(asked: &str, in_flight: Option<f64>, result: &Value) -> String {
    let mut screen = format!("{asked}\n\n");
    let mut line = |name: &str, text: &str| {
        let mut name = name;
        for text in wrapped(text) {
            let _ = writeln!(screen, "{name:NAME_WIDTH$}{text}");
            name = "";
        }
    };
    if result["connections"] == 0 {
        failures(&mut line, result);
        return screen;
    }
    let window_s = number(&result["window_ns"]) / 1e9;
    let exchange = &result["exchange"];
    if exchange.is_object() {
        exchanged(&mut line, exchange, in_flight, window_s);
    } else if result["recovery"].is_object() {
        let recovery = &result["recovery"];
        line("reconnected", &reconnected(recovery));
        if !list(&recovery["recovery_time_ns"]).is_empty() {
            times(&mut line, "  after", &recovery["recovery_time_ns"]);
        }
    } else {
        let received = number(&result["messages"]);
        let rate = rate(received, window_s);
        line("received", &format!("{} messages{rate}", whole(received)));
        if !result["delivery_time_ns"].is_null() {
            times(&mut line, "delivery time", &result["delivery_time_ns"]);
        }
    }
    if let Some(text) = pings(&result["pings"]) {
        line("ping", &text);
    }
    line("connections", &connections(result));
    line(
        "bytes",
        &format!(
            "{} received, {} sent",
            bytes(number(&result["read_bytes"])),
            bytes(number(&result["written_bytes"]))
        ),
    );
    for (index, host) in list(&result["hosts"]).iter().enumerate() {
        line(if index == 0 { "hosts" } else { "" }, &hosts::words(host));
    }
    failures(&mut line, result);
    if let Some(text) = server(&result["server"]) {
        line("server", &text);
    }
    line("limit", &limit(result));
    let times = [
        &exchange["response_time_ns"],
        &result["delivery_time_ns"],
        &result["recovery"]["recovery_time_ns"],
    ];
    if let Some(times) = times.into_iter().find_map(histogram) {
        screen.push('\n');
        screen += &bars(&times);
    }
    screen
}

/// Adds the lines of messages that are answered.
fn exchanged(
    line: &mut impl FnMut(&str, &str),
    exchange: &Value,
    in_flight: Option<f64>,
    window_s: f64,
) {
    line("answered", &answered(exchange, window_s));
    if let Some(text) = unsteady(&exchange["rate_growth"]) {
        line("  not steady", &text);
    }
    let others = number(&exchange["others"]);
    if others > 0.0 {
        let text = format!("{} received messages answered nothing", whole(others));
        line("others", &text);
    }
    let response_time = &exchange["response_time_ns"];
    let clocks = exchange["clock_bound_ns"].as_u64().map(|bound_ns| {
        let bound = duration_ns(bound_ns);
        format!("the clocks of the hosts differ by up to {bound}")
    });
    match clocks {
        Some(clocks) if list(response_time).is_empty() => {
            line("response time", &format!("not known: {clocks}"));
        }
        clocks => {
            times(line, "response time", response_time);
            if let Some(text) = clocks {
                line("", &text);
            }
        }
    }
    if !exchange["offered_rate_per_s"].is_null() && !list(&exchange["service_time_ns"]).is_empty() {
        times(line, "  since sent", &exchange["service_time_ns"]);
    }
    for (name, key) in [
        ("  first message", "first_message_time_ns"),
        ("  between", "message_gap_ns"),
    ] {
        if !list(&exchange[key]).is_empty() {
            times(line, name, &exchange[key]);
        }
    }
    if let Some(text) = shares(&exchange["answers_per_connection"]) {
        line("  a connection", &text);
    }
    if let Some(text) = in_flight.and_then(|all| in_flight_text(exchange, all, window_s)) {
        line("in flight", &text);
    }
}

/// Returns a line about a second of the load, as `docs/format.md` describes it.
pub fn second_line(second: &Value) -> String {
    let mut text = format!(
        "{:>4} s {:>12} messages",
        number(&second["second"]) + 1.0,
        whole(number(&second["messages"]))
    );
    let times = if list(&second["response_time_ns"]).is_empty() {
        &second["delivery_time_ns"]
    } else {
        &second["response_time_ns"]
    };
    for (name, quantile) in QUANTILES
        .iter()
        .filter(|(name, _)| ["p50", "p99"].contains(name))
    {
        if let Some(duration) = at_quantile(times, *quantile) {
            let _ = write!(text, "   {name} {duration}");
        }
    }
    let failures = number(&second["failures"]);
    if failures > 0.0 {
        let _ = write!(text, "   {} failures", whole(failures));
    }
    text
}

/// Adds a line for each kind of failure, and one about what to do if it is known.
fn failures(line: &mut impl FnMut(&str, &str), result: &Value) {
    let failures = list(&result["failures"]);
    if failures.is_empty() {
        line("failures", "none");
    }
    for failure in failures {
        let count = whole(number(&failure["count"]));
        let kind = failure["kind"].as_str().unwrap_or_default();
        let example = failure["example"].as_str().unwrap_or_default();
        line("failures", &format!("{count} × {kind}: {example}"));
        if let Some(remedy) = remedy(kind, example) {
            line("", remedy);
        }
    }
}

/// Says in one line why no connection opened, and what to do if that is known.
pub fn nothing_measured(result: &Value) -> String {
    let first = &result["failures"][0];
    let kind = first["kind"].as_str().unwrap_or_default();
    let example = first["example"].as_str().unwrap_or("no connection opened");
    let remedy = remedy(kind, example).map_or_else(String::new, |text| format!("; {text}"));
    format!("nothing was measured: {example}{remedy}")
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

/// Returns what the server's process used, in words; `None` if it is not known.
pub fn server(usage: &Value) -> Option<String> {
    let share = percent(usage["cpu_utilization"].as_f64()?);
    let resident = bytes(number(&usage["resident_bytes_max"]));
    Some(format!("{share} of a core, {resident} of memory"))
}

/// Returns how many messages were answered, and at what rate.
fn answered(exchange: &Value, window_s: f64) -> String {
    let completed = number(&exchange["completed"]);
    let mut text = format!("{} messages{}", whole(completed), rate(completed, window_s));
    if let Some(offered) = exchange["offered_rate_per_s"].as_f64() {
        let _ = write!(text, " of {}/s offered", whole(offered));
        if let Some(share) = exchange["achieved_share"].as_f64() {
            let _ = write!(text, " ({})", percent(share));
        }
    }
    text
}

/// Says how the rate of a closed loop changed within the measurement; `None` if it was steady.
fn unsteady(growth: &Value) -> Option<String> {
    let growth = growth.as_f64()?;
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
fn reconnected(recovery: &Value) -> String {
    let [recovered, dropped, attempts] =
        ["recovered", "dropped", "attempts"].map(|key| whole(number(&recovery[key])));
    format!("{recovered} of {dropped} dropped, in {attempts} attempts")
}

/// Returns how many answers the connections received; `None` if no message was sent.
fn shares(answers: &Value) -> Option<String> {
    let least = whole(answers["least"].as_f64()?);
    let most = whole(number(&answers["most"]));
    let mut text = format!("{least} to {most} answers, with the warm-up");
    let without = number(&answers["connections_without"]);
    if without > 0.0 {
        let _ = write!(text, "; {} were never answered", whole(without));
    }
    Some(text)
}

/// Adds a line with the quantiles of buckets; the line says so if there are none.
fn times(line: &mut impl FnMut(&str, &str), name: &str, buckets: &Value) {
    let quantiles: Vec<_> = QUANTILES
        .iter()
        .filter_map(|(name, quantile)| {
            let duration = at_quantile(buckets, *quantile)?;
            Some(format!("{name} {duration}"))
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

/// Returns the round trips of pings; `None` without pings.
fn pings(pings: &Value) -> Option<String> {
    let sent = pings["sent"].as_f64()?;
    let times = ["p50", "p99", "max"].iter().filter_map(|searched| {
        let (name, quantile) = QUANTILES.iter().find(|(name, _)| name == searched)?;
        let duration = at_quantile(&pings["round_trip_ns"], *quantile)?;
        Some(format!("{name} {duration}"))
    });
    let mut text = times.collect::<Vec<_>>().join("   ");
    let unanswered = sent - number(&pings["answered"]);
    if unanswered > 0.0 || text.is_empty() {
        let _ = write!(
            text,
            "   {} of {} unanswered",
            whole(unanswered),
            whole(sent)
        );
    }
    Some(text.trim_start().to_owned())
}

/// Returns the connections that opened, and how long that took.
fn connections(result: &Value) -> String {
    let mut text = format!("{} opened", whole(number(&result["connections"])));
    let parts = [
        ("TCP", "connect_tcp_time_ns"),
        ("TLS", "connect_tls_time_ns"),
        ("TLS resumed", "connect_tls_resumed_time_ns"),
        ("upgrade", "connect_upgrade_time_ns"),
    ];
    let medians: Vec<_> = parts
        .iter()
        .filter_map(|(name, key)| Some(format!("{name} {}", at_quantile(&result[*key], 0.5)?)))
        .collect();
    if !medians.is_empty() {
        let _ = write!(text, "; medians: {}", medians.join(", "));
    }
    text
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// Returns ", N/s" for a count in a time; nothing without time.
fn rate(count: f64, seconds: f64) -> String {
    if seconds > 0.0 {
        format!(", {}/s", whole(count / seconds))
    } else {
        String::new()
    }
}

/// Returns a duration at a quantile of buckets, as a text; `None` without durations.
#[expect(
    clippy::cast_precision_loss,
    reason = "durations are shorter than an hour"
)]
fn at_quantile(buckets: &Value, quantile: f64) -> Option<String> {
    let duration_ns = histogram(buckets)?.duration_at_quantile(quantile)?;
    Some(duration(duration_ns as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result() -> Value {
        json!({
            "connections": 1000, "messages": 12_345, "window_ns": 10_000_000_000_u64,
            "read_bytes": 1_234_567, "written_bytes": 999,
            "connect_tcp_time_ns": [[102_400, 1000]], "connect_tls_time_ns": [],
            "connect_tls_resumed_time_ns": [], "connect_upgrade_time_ns": [[204_800, 1000]],
            "failures": [], "delivery_time_ns": null, "utilizations": [0.125, 0.25],
            "generator_limited": null,
            "exchange": {
                "completed": 50_000, "offered_rate_per_s": 10_000.0, "achieved_share": 0.5,
                "answers_per_connection": {"least": 0, "most": 80, "connections_without": 3},
                "response_time_ns": [[1_024, 99], [1_048_576, 1]],
                "service_time_ns": [[1_024, 100]],
            },
        })
    }

    #[test]
    fn an_open_loop_has_rates_times_and_the_limit() {
        let screen = end_screen("what was asked", None, &result());
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
            let mut result = result();
            result["exchange"]["rate_growth"] = json!(growth);
            let screen = end_screen("", None, &result);
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
        let mut result = result();
        result["exchange"] = Value::Null;
        result["failures"] = json!([{"kind": "read", "count": 3, "example": "reset"}]);
        result["generator_limited"] = json!("its thread was busy");
        result["server"] = json!({"cpu_utilization": 0.991, "resident_bytes_max": 45_300_000});
        let screen = end_screen("", None, &result);
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
        let mut result = result();
        result["exchange"] = Value::Null;
        result["recovery"] = json!({
            "recovered": 3990, "dropped": 4000, "attempts": 4010,
            "recovery_time_ns": [[1_048_576, 3990]],
        });
        let screen = end_screen("", None, &result);
        let expected = "\
reconnected     3,990 of 4,000 dropped, in 4,010 attempts
  after         p50 1.05 ms";
        assert!(screen.contains(expected), "{screen}");
    }

    #[test]
    fn long_texts_are_broken_between_words() {
        let mut result = result();
        let reason = "its only thread was busy for 99.5 % of the window, and it was late";
        result["generator_limited"] = json!(reason);
        let screen = end_screen("", None, &result);
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
