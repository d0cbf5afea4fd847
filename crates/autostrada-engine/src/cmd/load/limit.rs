//! What limited a load, in words.

use autostrada_measure::bucket_width_ns;
use serde_json::Value;

use super::hosts::{Unfinished, unfinished};
use super::metrics::histogram;
use super::written::{percent, whole};

/// Share of a core from which on a thread is busy all the time.
const UTILIZATION_MIN: f64 = 0.9;

/// Share of an open loop's load from which on all of it was answered.
const SUSTAINED_SHARE_MIN: f64 = 0.99;

/// Share of the messages in flight below which connections waited for something else.
const IN_FLIGHT_SHARE_MIN: f64 = 0.9;

/// Returns what limited the load, as far as it is known.
pub fn limit(result: &Value) -> String {
    if unfinished(result) == Some(Unfinished::HostLost) {
        return "unknown: the part of a host is missing".to_owned();
    }
    if let Some(reason) = result["generator_limited"].as_str() {
        return format!("the load generator: {reason}; the server may do more");
    }
    if result["exchange"]["achieved_share"].as_f64() >= Some(SUSTAINED_SHARE_MIN) {
        return "nothing: the load was sustained".to_owned();
    }
    if let Some(share) = result["server"]["busiest_thread_share"].as_f64()
        && share >= UTILIZATION_MIN
    {
        return format!(
            "the server's CPU: its busiest thread used {} of a core",
            percent(share)
        );
    }
    let shares = result["utilizations"].as_array();
    let busiest = shares.into_iter().flatten().map(number).fold(0.0, f64::max);
    format!(
        "not the load generator: its busiest thread used {} of a core",
        percent(busiest)
    )
}

/// Returns how many messages were in flight on average, of `all` that a closed loop keeps in flight.
///
/// By Little's law (J. D. C. Little, 1961) it is the rate times the mean response time. If it is far
/// below `all`, connections waited for something else than answers.
pub fn in_flight(exchange: &Value, all: f64, window_s: f64) -> Option<String> {
    let mean_s = mean_s(&exchange["response_time_ns"])?;
    let mean = number(&exchange["completed"]) / window_s * mean_s;
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
fn mean_s(buckets: &Value) -> Option<f64> {
    let histogram = histogram(buckets)?;
    let sum_ns: f64 = histogram
        .buckets()
        .map(|(lowest_ns, count)| {
            (lowest_ns as f64 + bucket_width_ns(lowest_ns) as f64 / 2.0) * count as f64
        })
        .sum();
    Some(sum_ns / histogram.count() as f64 / 1e9)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_server_the_generator_or_nothing_was_the_limit() {
        let mut result = json!({
            "utilizations": [0.125, 0.25], "generator_limited": null,
            "exchange": {"achieved_share": null},
        });
        assert_eq!(
            limit(&result),
            "not the load generator: its busiest thread used 25.0 % of a core"
        );
        result["server"] = json!({"busiest_thread_share": 0.987});
        assert_eq!(
            limit(&result),
            "the server's CPU: its busiest thread used 98.7 % of a core"
        );
        result["exchange"]["achieved_share"] = json!(0.995);
        assert_eq!(limit(&result), "nothing: the load was sustained");
        result["generator_limited"] = json!("its thread was busy");
        assert_eq!(
            limit(&result),
            "the load generator: its thread was busy; the server may do more"
        );
    }

    #[test]
    fn a_closed_loop_obeys_littles_law_if_all_connections_are_served() {
        let exchange = json!({
            "completed": 50_000, "response_time_ns": [[1_048_576, 50_000]],
        });
        let of = |all| in_flight(&exchange, all, 10.0).unwrap();
        assert_eq!(of(5.3), "99.0 % of 5 messages, by Little's law");
        assert_eq!(
            of(10.0),
            "52.5 % of 10 messages, by Little's law; the rest waited"
        );
    }
}
