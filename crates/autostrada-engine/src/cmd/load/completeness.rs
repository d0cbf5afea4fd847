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
#[path = "tests/completeness.rs"]
mod tests;
