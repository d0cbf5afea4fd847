//! The hosts that divided a load: what each had of it.

use serde_json::{Value, json};

use super::merged::total;
use super::written::{percent, whole};

/// Why the merged result is not that of the whole load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The user interrupted it.
    Interrupted,
    /// The part of a host is missing.
    HostLost,
}

/// Returns why a merged result is not that of the whole load; `None` if it is.
pub fn unfinished(result: &Value) -> Option<Unfinished> {
    let hosts = result["hosts"].as_array();
    let any = |is: fn(&Value) -> bool| hosts.is_some_and(|hosts| hosts.iter().any(is));
    if any(|host| host["is_interrupted"] == true) {
        Some(Unfinished::Interrupted)
    } else {
        any(|host| host["lost"].is_string()).then_some(Unfinished::HostLost)
    }
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
    use super::super::merged::merged;
    use super::*;

    #[test]
    fn hosts_are_named_with_what_each_had_of_the_load() {
        let one = json!({
            "event": "result", "host": "a", "connections": 2, "messages": 7, "utilizations": [0.5],
            "failures": [{"kind": "read", "count": 1, "example": "reset"}],
            "generator_limited": "thread 0 was busy",
        });
        let second = |host, messages| json!({"event": "second", "second": 0, "host": host, "messages": messages});
        let lost = json!({"event": "host", "host": "b", "lost": "no answer"});
        let whole = merged(&[second("a", 3), second("b", 4), second("a", 5), one, lost]).unwrap();
        assert_eq!(whole["generator_limited"], "a: thread 0 was busy");
        assert_eq!(
            whole["hosts"],
            json!([
                {"host": "a", "messages": 7, "lost": null, "failures": 1, "connections": 2,
                 "utilizations": [0.5], "generator_limited": "thread 0 was busy"},
                {"host": "b", "messages": 4, "lost": "no answer"},
            ])
        );
        assert_eq!(whole["seconds"][0]["messages"], 12);
        assert_eq!(unfinished(&whole), Some(Unfinished::HostLost));
        assert!(whole.get("host").is_none() && whole["seconds"][0].get("host").is_none());
    }
}
