//! The results of several engines that divided a load (`part` of a plan).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::hosts::{HostFacts, HostRow, clock_bound_ns, row_of};
use super::times::histogram;
use crate::client::{LoadResult, LoadSecond, Merge};

/// The result of all engines together, as a single one would have reported it.
///
/// Counters and buckets are added, so that quantiles are those of all messages. Lines that name
/// their `host` give a list of hosts, in which a line `host` tells what else is known of one.
#[derive(Debug)]
pub struct MergedLoad {
    pub result: LoadResult,
    pub seconds: Vec<LoadSecond>,
    pub hosts: Vec<HostRow>,
}

/// A line of an engine, and the host on which it ran if several divided the load.
#[derive(Debug, Deserialize)]
struct HostLine {
    host: Option<String>,
    #[serde(flatten)]
    line: EngineLine,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum EngineLine {
    Ready {
        version: String,
    },
    Second(Box<LoadSecond>),
    Result(Box<LoadResult>),
    /// What is known of a host beside the lines of its engine.
    Host(HostFacts),
    #[serde(other)]
    Other,
}

impl MergedLoad {
    /// Merges the JSON lines that engines printed. With `has_delivery_times`, hosts timed messages
    /// of each other.
    /// Returns a text that names the remedy if a line is not that of this version of the engine, or
    /// there is no result.
    pub fn read(text: &str, has_delivery_times: bool) -> Result<Self, String> {
        let mut hosts: Vec<HostRow> = Vec::new();
        let mut seconds: BTreeMap<u64, LoadSecond> = BTreeMap::new();
        let mut whole: Option<LoadResult> = None;
        for (index, line) in text.lines().enumerate() {
            let HostLine { host, line } = serde_json::from_str(line)
                .map_err(|error| format!("line {}: {error}", index + 1))?;
            match line {
                EngineLine::Ready { version } => check_version(&version, host.as_deref())?,
                EngineLine::Second(second) => {
                    if let Some(host) = host {
                        row_of(&mut hosts, host).messages += second.tally.messages;
                    }
                    seconds
                        .entry(second.second)
                        .and_modify(|known| known.merge(&second))
                        .or_insert(*second);
                }
                EngineLine::Result(mut result) => {
                    if let Some(host) = host {
                        row_of(&mut hosts, host.clone()).add_result(&result);
                        if let Some(limit) = &mut result.generator_limited {
                            *limit = format!("{host}: {limit}");
                        }
                    }
                    whole = match whole {
                        Some(mut whole) => {
                            whole.merge(&result);
                            Some(whole)
                        }
                        None => Some(*result),
                    };
                }
                EngineLine::Host(facts) => {
                    row_of(&mut hosts, host.unwrap_or_default()).facts = facts;
                }
                EngineLine::Other => {}
            }
        }
        let result = whole.ok_or("it has no result of an engine: give the lines of each")?;
        let mut load = Self {
            result,
            seconds: seconds.into_values().collect(),
            hosts,
        };
        if has_delivery_times {
            bound_delivery_times(&mut load);
        }
        Ok(load)
    }
}

/// Adds to which error the times of a result are known whose messages another host may have sent;
/// removes times that are not longer.
fn bound_delivery_times(load: &mut MergedLoad) {
    let Some(bound_ns) = clock_bound_ns(&load.hosts) else {
        return;
    };
    let Some(exchange) = &mut load.result.sections.echo.exchange else {
        return;
    };
    let times = histogram(&exchange.response_time_ns);
    let median_ns = times.and_then(|times| times.duration_at_quantile(0.5));
    exchange.clock_bound_ns = Some(bound_ns);
    if median_ns.is_some_and(|median_ns| median_ns <= bound_ns) {
        exchange.response_time_ns.clear();
        for second in &mut load.seconds {
            second.response_time_ns.clear();
        }
    }
}

/// Refuses the lines of an engine of another version, whose results may mean something else.
fn check_version(version: &str, host: Option<&str>) -> Result<(), String> {
    let own = env!("AUTOSTRADA_VERSION");
    if version == own {
        return Ok(());
    }
    let name = host.map_or_else(
        || "one engine".to_owned(),
        |host| format!("the engine of {host}"),
    );
    Err(format!(
        "{name} has the version {version} and this one {own}: install the same on all hosts"
    ))
}

#[cfg(test)]
#[path = "tests/merge.rs"]
mod tests;
