//! Whether all of a load was measured, or a part of it, or nothing.

use super::measurement::Measurement;
use super::number_format::whole_number;
use super::remedy::remedy;
use crate::ended::Ended;

/// What is said if no connection opened.
pub const NOT_OPENED: &str = "nothing was measured: no connection opened";

/// What is said if messages were to be answered, and none was.
pub const NOT_ANSWERED: &str = "nothing was measured: nothing was answered";

/// Says in a few words that nothing was measured; `None` if something was.
pub fn nothing(load: &Measurement) -> Option<&'static str> {
    if load.result.connections == 0 {
        return Some(NOT_OPENED);
    }
    let exchange = load.exchange()?;
    let answers = exchange.completed + exchange.echoed;
    (exchange.is_awaited() && answers == 0).then_some(NOT_ANSWERED)
}

/// Says in one line why nothing was measured, and what to do if that is known; `None` if something
/// was.
pub fn nothing_measured(load: &Measurement) -> Option<String> {
    let nothing = nothing(load)?;
    let Some(first) = load.result.failures.first() else {
        return Some(nothing.to_owned());
    };
    let remedy = remedy(&first.kind, &first.example);
    let remedy = remedy.map_or_else(String::new, |text| format!("; {text}"));
    let what = if nothing == NOT_OPENED {
        "nothing was measured"
    } else {
        nothing
    };
    Some(format!("{what}: {}{remedy}", first.example))
}

/// Says why only a part of a load was measured: all connections were lost before its end. `None` if
/// that is not so.
pub fn incomplete(load: &Measurement) -> Option<String> {
    let result = &load.result;
    let is_early = |after_ns| result.ended == Ended::Closed || after_ns < result.window_ns;
    let after_ns = result
        .lost_after_ns
        .filter(|&after_ns| is_early(after_ns))?;
    if load.recovery().is_some() || result.lost < result.connections {
        return None;
    }
    let lost = match result.connections {
        1 => "the only connection was lost".to_owned(),
        all => format!("all {} connections were lost", whole_number(all)),
    };
    let server = load.server_ended.as_ref();
    let server = server.map_or_else(String::new, |how| format!("; the watched process {how}"));
    Some(format!(
        "{lost} after {:.1} s{server}",
        after_ns as f64 / 1e9
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::measurement::tests::measurement;
    use super::*;

    #[test]
    fn a_load_is_incomplete_if_all_connections_were_lost_in_it() {
        let of = |lost, after_ns, ended| {
            let mut load = measurement(|line| {
                line["lost"] = json!(lost);
                line["lost_after_ns"] = json!(after_ns);
                line["ended"] = json!(ended);
            });
            load.server_ended = Some("ended with status 1".to_owned());
            incomplete(&load)
        };
        let lost =
            "all 2 connections were lost after 2.0 s; the watched process ended with status 1";
        assert_eq!(of(2, 2_000_000_000_u64, "complete").as_deref(), Some(lost));
        assert_eq!(of(1, 2_000_000_000, "complete"), None);
        // In the drain.
        assert_eq!(of(2, 10_000_000_000, "complete"), None);
        // A closed loop has ended with its connections.
        assert!(of(2, 10_000_000_000, "closed").is_some());
    }

    #[test]
    fn a_load_without_an_answer_has_measured_nothing() {
        let silent = measurement(|line| {
            line["exchange"]["completed"] = json!(0);
            line["exchange"]["echoed"] = json!(0);
            line["failures"] = json!([{"kind": "close", "count": 2, "example": "it closed"}]);
        });
        let why = "nothing was measured: nothing was answered: it closed";
        assert_eq!(nothing_measured(&silent).as_deref(), Some(why));
        let counted = measurement(|line| {
            line["exchange"]["completed"] = json!(0);
            line["exchange"]["echoed"] = json!(0);
            line["exchange"]["achieved_share"] = json!(null);
        });
        assert_eq!(
            nothing_measured(&counted),
            None,
            "nothing was to be answered"
        );
    }
}
