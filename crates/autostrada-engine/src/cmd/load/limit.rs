//! What limited a load, in words.

use autostrada_measure::bucket_width_ns;

use super::hosts::{Unfinished, unfinished};
use super::measured::Measured;
use super::times::histogram;
use super::written::{percent, whole};
use crate::client::{Buckets, ExchangeRow};

/// Share of a core from which on a thread is busy all the time.
const UTILIZATION_MIN: f64 = 0.9;

/// Share of an open loop's load from which on all of it was answered.
const SUSTAINED_SHARE_MIN: f64 = 0.99;

/// Share of the messages in flight below which connections waited for something else.
const IN_FLIGHT_SHARE_MIN: f64 = 0.9;

/// Returns what limited the load, as far as it is known.
pub fn limit(load: &Measured) -> String {
    if unfinished(&load.hosts) == Some(Unfinished::HostLost) {
        return "unknown: the part of a host is missing".to_owned();
    }
    if let Some(reason) = &load.result.generator_limited {
        return format!("the load generator: {reason}; the server may do more");
    }
    let achieved = load.exchange().and_then(|exchange| exchange.achieved_share);
    if achieved >= Some(SUSTAINED_SHARE_MIN) {
        return "nothing: the load was sustained".to_owned();
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
    format!(
        "not the load generator: its busiest thread used {} of a core",
        percent(load.busiest_utilization())
    )
}

/// Returns how many messages were in flight on average, of `all` that a closed loop keeps in flight.
///
/// By Little's law (J. D. C. Little, 1961) it is the rate times the mean response time. If it is far
/// below `all`, connections waited for something else than answers.
#[expect(
    clippy::cast_precision_loss,
    reason = "a number of messages needs no more than 53 bits"
)]
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
#[expect(
    clippy::cast_precision_loss,
    reason = "durations are shorter than an hour"
)]
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
mod tests {
    use serde_json::json;

    use super::super::measured::tests::measured;
    use super::super::watched::ServerUsage;
    use super::*;

    #[test]
    fn the_server_the_generator_or_nothing_was_the_limit() {
        let mut load = measured(|_| {});
        assert_eq!(
            limit(&load),
            "not the load generator: its busiest thread used 25.0 % of a core"
        );
        load.server = Some(ServerUsage {
            cpu_utilization: 1.2,
            busiest_thread_share: Some(0.987),
            resident_bytes_max: 1,
        });
        assert_eq!(
            limit(&load),
            "the server's CPU: its busiest thread used 98.7 % of a core"
        );
        load.result
            .sections
            .echo
            .exchange
            .as_mut()
            .unwrap()
            .achieved_share = Some(0.995);
        assert_eq!(limit(&load), "nothing: the load was sustained");
        load.result.generator_limited = Some("its thread was busy".to_owned());
        assert_eq!(
            limit(&load),
            "the load generator: its thread was busy; the server may do more"
        );
    }

    #[test]
    fn a_closed_loop_obeys_littles_law_if_all_connections_are_served() {
        let load = measured(|line| {
            line["exchange"]["response_time_ns"] = json!([[1_048_576, 50_000]]);
        });
        let of = |all| in_flight(load.exchange().unwrap(), all, 10.0).unwrap();
        assert_eq!(of(5.3), "99.0 % of 5 messages, by Little's law");
        assert_eq!(
            of(10.0),
            "52.5 % of 10 messages, by Little's law; the rest waited"
        );
    }
}
