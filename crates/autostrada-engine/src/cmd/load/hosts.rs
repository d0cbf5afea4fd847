//! The hosts that divided a load: what each had of it.

use serde_json::{Value, json};

use super::metrics::histogram;
use super::written::{percent, whole};

/// Why the merged result is not that of the whole load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The user interrupted it, so that the exit status is this.
    Interrupted(u8),
    /// The part of a host is missing.
    HostLost,
}

/// Returns why a merged result is not that of the whole load; `None` if it is.
pub fn unfinished(result: &Value) -> Option<Unfinished> {
    let hosts = result["hosts"].as_array()?;
    let status = hosts
        .iter()
        .find_map(|host| host["interrupted_status"].as_u64());
    if let Some(status) = status.and_then(|status| u8::try_from(status).ok()) {
        return Some(Unfinished::Interrupted(status));
    }
    let is_lost = hosts.iter().any(|host| host["lost"].is_string());
    is_lost.then_some(Unfinished::HostLost)
}

/// Returns what each host had of the load, in the order in which lines name them.
pub fn hosts(lines: &[Value]) -> Vec<Value> {
    let mut hosts: Vec<Value> = Vec::new();
    for line in lines {
        let Some(name) = line["host"].as_str() else {
            continue;
        };
        let known = hosts.iter().position(|host| host["host"] == name);
        let index = known.unwrap_or_else(|| {
            hosts.push(json!({"host": name, "messages": 0, "lost": null}));
            hosts.len() - 1
        });
        let host = &mut hosts[index];
        match line["event"].as_str() {
            Some("second") => {
                host["messages"] = json!(total([&host["messages"], &line["messages"]]));
            }
            Some("result") => {
                let failures = line["failures"].as_array().into_iter().flatten();
                let answered = &line["exchange"]["completed"];
                let received = if answered.is_u64() {
                    answered
                } else {
                    &line["messages"]
                };
                host["messages"] = received.clone();
                host["failures"] = json!(total(failures.map(|failure| &failure["count"])));
                for key in ["connections", "utilizations", "generator_limited"] {
                    host[key] = line[key].clone();
                }
            }
            Some("host") => {
                for (key, value) in line.as_object().into_iter().flatten() {
                    if key != "event" {
                        host[key] = value.clone();
                    }
                }
            }
            _ => {}
        }
    }
    hosts
}

/// Returns how far the real-time clocks of the hosts that began may differ, in nanoseconds; `None`
/// of a single host, and if clocks were not compared.
fn clock_bound_ns(hosts: &[Value]) -> Option<u64> {
    let most = |key: &str| hosts.iter().filter_map(|host| host[key].as_u64()).max();
    let bound_ns = most("real_time_ahead_ns")? + 2 * most("clock_error_ns")?;
    (hosts.len() > 1).then_some(bound_ns)
}

/// Adds to which error the times of a result are known whose messages another host may have sent;
/// removes times that are not longer.
pub fn bound_delivery_times(result: &mut Value) {
    let hosts = result["hosts"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(bound_ns) = clock_bound_ns(hosts) else {
        return;
    };
    let median_ns = histogram(&result["exchange"]["response_time_ns"])
        .and_then(|times| times.duration_at_quantile(0.5));
    result["exchange"]["clock_bound_ns"] = json!(bound_ns);
    if median_ns.is_some_and(|median_ns| median_ns <= bound_ns) {
        result["exchange"]["response_time_ns"] = json!([]);
        for second in result["seconds"].as_array_mut().into_iter().flatten() {
            second["response_time_ns"] = json!([]);
        }
    }
}

/// Returns the sum of counts.
pub fn total<'a>(counts: impl IntoIterator<Item = &'a Value>) -> u64 {
    counts.into_iter().filter_map(Value::as_u64).sum()
}

/// Says what a host had of a load that several divided.
pub fn words(host: &Value) -> String {
    let name = host["host"].as_str().unwrap_or_default();
    let messages = whole(number(&host["messages"]));
    if let Some(why) = host["lost"].as_str() {
        return format!("{name}: lost, {why}; {messages} messages until then");
    }
    let busiest = host["utilizations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(number);
    let limit = match host["generator_limited"] {
        Value::Null => "",
        _ => ", the limit",
    };
    format!(
        "{name}: {} connections, {messages} messages, {} of a core{limit}",
        whole(number(&host["connections"])),
        percent(busiest.fold(0.0, f64::max)),
    )
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_says_more_than_a_loss() {
        let of = |status, lost| {
            let host = json!({"interrupted_status": status, "lost": lost});
            unfinished(&json!({"hosts": [{"lost": null}, host]}))
        };
        let none = Value::Null;
        assert_eq!(of(none.clone(), none.clone()), None);
        assert_eq!(of(none, json!("why")), Some(Unfinished::HostLost));
        let terminated = Some(Unfinished::Interrupted(143));
        assert_eq!(of(json!(143), json!("why")), terminated);
        assert_eq!(unfinished(&json!({})), None);
    }

    #[test]
    fn times_between_hosts_are_given_if_they_are_longer_than_clocks_differ() {
        let result = |error_ns| {
            json!({
                "hosts": [
                    {"clock_error_ns": 10, "real_time_ahead_ns": 0},
                    {"clock_error_ns": error_ns, "real_time_ahead_ns": 100},
                ],
                "exchange": {"response_time_ns": [[1_000, 3]]},
                "seconds": [{"response_time_ns": [[1_000, 3]]}],
            })
        };
        let mut given = result(200);
        bound_delivery_times(&mut given);
        assert_eq!(given["exchange"]["clock_bound_ns"], 500);
        assert_eq!(given["exchange"]["response_time_ns"], json!([[1_000, 3]]));
        let mut removed = result(2_000);
        bound_delivery_times(&mut removed);
        assert_eq!(removed["exchange"]["response_time_ns"], json!([]));
        assert_eq!(removed["seconds"][0]["response_time_ns"], json!([]));
    }
}
