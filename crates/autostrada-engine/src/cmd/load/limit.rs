//! What limited a load, in words.

use autostrada_measure::bucket_width_ns;

use super::completeness::incomplete;
use super::hosts::{Unfinished, unfinished};
use super::measurement::Measurement;
use super::number_format::{percent, whole, whole_number};
use super::times::histogram;
use crate::client::{Buckets, ExchangeRow};

/// Share of a core from which on a thread is busy all the time.
const UTILIZATION_MIN: f64 = 0.9;

/// Share of a core below which a thread of the load generator has time left: what is late is
/// delayed by other programs.
const GENERATOR_UTILIZATION_MIN: f64 = 0.8;

/// Share of an open loop's load from which on all of it was answered.
const SUSTAINED_SHARE_MIN: f64 = 0.99;

/// Share of the messages in flight below which connections waited for something else.
const IN_FLIGHT_SHARE_MIN: f64 = 0.9;

/// Returns what limited the load, as far as it is known.
pub fn limit(load: &Measurement) -> String {
    if unfinished(&load.hosts) == Some(Unfinished::HostLost) {
        return "unknown: the part of a host is missing".to_owned();
    }
    if incomplete(load).is_some() {
        return "unknown: not the whole load was measured".to_owned();
    }
    if is_full(load) {
        let connections = whole_number(load.result.connections);
        return format!("the server: it took {connections} connections, and refused more");
    }
    let reason = load.result.generator_limited.as_ref();
    let utilization = percent(load.busiest_utilization());
    let (busy, delayed) = match reason {
        Some(_) if load.busiest_utilization() < GENERATOR_UTILIZATION_MIN => (None, reason),
        reason => (reason, None),
    };
    if let Some(reason) = busy {
        return format!("the load generator: {reason}; the server may do more");
    }
    let achieved = load.exchange().and_then(|exchange| exchange.achieved_share);
    if achieved >= Some(SUSTAINED_SHARE_MIN) {
        let delay = delayed.map_or_else(String::new, |reason| {
            format!(", but other programs delayed the load generator: {reason}")
        });
        return format!("nothing: the load was sustained{delay}");
    }
    if let Some(share) = load
        .server
        .as_ref()
        .and_then(|server| server.busiest_thread_share)
        && share >= UTILIZATION_MIN
    {
        return format!(
            "the server's CPU: its busiest thread used {} of a core",
            percent(share)
        );
    }
    let unopened = unopened(load);
    if unopened > 0 {
        let [opened, unopened] = [load.result.connections, unopened].map(whole_number);
        return format!(
            "the server, or what is before it: {opened} connections opened, and {unopened} failed to"
        );
    }
    if let Some(reason) = delayed {
        return format!(
            "unknown: {reason}, though the load generator used only {utilization} of a core: \
             other programs delayed it; repeat the load"
        );
    }
    format!("not the load generator: its busiest thread used {utilization} of a core")
}

/// Whether the server refused connections because it takes no more.
fn is_full(load: &Measurement) -> bool {
    let refusals = ["answered 429", "answered 503"];
    let mut failures = load.result.failures.iter();
    failures.any(|failure| {
        refusals
            .iter()
            .any(|refusal| failure.example.contains(refusal))
    })
}

/// Returns how many attempts to open a connection failed.
fn unopened(load: &Measurement) -> u64 {
    let opening = ["connect", "tls", "handshake"];
    load.result.failures(|kind| opening.contains(&kind))
}

/// Returns how many messages were in flight on average, of `all` that a closed loop keeps in flight.
///
/// By Little's law (J. D. C. Little, 1961) it is the rate times the mean response time. If it is far
/// below `all`, connections waited for something else than answers.
pub fn in_flight(exchange: &ExchangeRow, all: f64, window_s: f64) -> Option<String> {
    let mean_s = mean_s(&exchange.response_time_ns)?;
    let mean = exchange.completed as f64 / window_s * mean_s;
    let share = (window_s > 0.0 && all > 0.0).then_some(mean / all)?;
    let starved = if share < IN_FLIGHT_SHARE_MIN {
        "; the rest waited"
    } else {
        ""
    };
    let (share, all) = (percent(share), whole(all));
    Some(format!(
        "{share} of {all} messages, by Little's law{starved}"
    ))
}

/// Returns the mean duration of buckets in seconds; `None` without durations.
fn mean_s(buckets: &Buckets) -> Option<f64> {
    let histogram = histogram(buckets)?;
    let sum_ns: f64 = histogram
        .buckets()
        .map(|(lowest_ns, count)| {
            (lowest_ns as f64 + bucket_width_ns(lowest_ns) as f64 / 2.0) * count as f64
        })
        .sum();
    Some(sum_ns / histogram.count() as f64 / 1e9)
}

#[cfg(test)]
#[path = "tests/limit.rs"]
mod tests;
