//! The hosts that divided a load: what each had of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number_format::{percent, whole_number};
use crate::client::LoadResult;

/// Why the merged result is not that of the whole load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The user interrupted it, so that the exit status is this.
    Interrupted(u8),
    /// The part of a host is missing.
    HostLost,
}

/// What a host had of a load that several divided. What only a result shows is absent if the host
/// was lost before it had one.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "LoadHost")]
pub struct HostRow {
    /// Name of the host.
    pub host: String,
    /// Messages answered in the window, or else received; until it was lost, those received.
    pub messages: u64,
    /// Number of failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    failures: Option<u64>,
    /// Number of connections that opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    connections: Option<u64>,
    /// CPU usage of each thread as a share of one core.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    utilizations: Vec<f64>,
    /// Why its engine was the bottleneck; null if it was not.
    generator_limited: Option<String>,
    #[serde(flatten)]
    pub facts: HostFacts,
}

/// What is known of a host beside the lines of its engine.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
pub struct HostFacts {
    /// Why the host was lost; null if it was not.
    lost: Option<String>,
    /// Exit status after the signal with which the user ended the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted_status: Option<u8>,
    /// To which error the offset of its monotonic clock is known, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_error_ns: Option<u64>,
    /// How far its real-time clock is ahead of that of the host whose clock is last, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_time_ahead_ns: Option<u64>,
    /// How far the offset of its monotonic clock changed during the load, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_drift_ns: Option<u64>,
    /// How long after the common instant its engine began, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    begun_late_ns: Option<i64>,
}

impl HostRow {
    /// Adds the result of its engine.
    pub fn add_result(&mut self, result: &LoadResult) {
        let exchange = result.sections.echo.exchange.as_ref();
        self.messages = exchange.map_or(result.messages, |exchange| exchange.completed);
        self.failures = Some(result.failures(|_| true));
        self.connections = Some(result.connections);
        self.utilizations.clone_from(&result.utilizations);
        self.generator_limited.clone_from(&result.generator_limited);
    }

    /// Says what the host had of the load.
    pub fn words(&self) -> String {
        let (name, messages) = (&self.host, whole_number(self.messages));
        if let Some(why) = &self.facts.lost {
            return format!("{name}: lost, {why}; {messages} messages until then");
        }
        let busiest = self.utilizations.iter().copied().fold(0.0, f64::max);
        let limit = self
            .generator_limited
            .as_ref()
            .map_or("", |_| ", the limit");
        format!(
            "{name}: {} connections, {messages} messages, {} of a core{limit}",
            whole_number(self.connections.unwrap_or(0)),
            percent(busiest),
        )
    }
}

/// Returns the row of a host, which is added if it is new.
pub fn row_of(hosts: &mut Vec<HostRow>, name: String) -> &mut HostRow {
    let known = hosts.iter().position(|host| host.host == name);
    let index = known.unwrap_or_else(|| {
        hosts.push(HostRow {
            host: name,
            ..HostRow::default()
        });
        hosts.len() - 1
    });
    &mut hosts[index]
}

/// Returns why a merged result is not that of the whole load; `None` if it is.
pub fn unfinished(hosts: &[HostRow]) -> Option<Unfinished> {
    let status = hosts.iter().find_map(|host| host.facts.interrupted_status);
    if let Some(status) = status {
        return Some(Unfinished::Interrupted(status));
    }
    let is_lost = hosts.iter().any(|host| host.facts.lost.is_some());
    is_lost.then_some(Unfinished::HostLost)
}

/// Returns how far the real-time clocks of the hosts that began may differ, in nanoseconds; `None`
/// of a single host, and if clocks were not compared.
pub fn clock_bound_ns(hosts: &[HostRow]) -> Option<u64> {
    let most = |value: fn(&HostFacts) -> Option<u64>| {
        hosts.iter().filter_map(|host| value(&host.facts)).max()
    };
    let ahead_ns = most(|facts| facts.real_time_ahead_ns)?;
    let bound_ns = ahead_ns + 2 * most(|facts| facts.clock_error_ns)?;
    (hosts.len() > 1).then_some(bound_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_says_more_than_a_loss() {
        let of = |interrupted_status, lost: Option<&str>| {
            let facts = HostFacts {
                interrupted_status,
                lost: lost.map(str::to_owned),
                ..HostFacts::default()
            };
            let host = HostRow {
                facts,
                ..HostRow::default()
            };
            unfinished(&[HostRow::default(), host])
        };
        assert_eq!(of(None, None), None);
        assert_eq!(of(None, Some("why")), Some(Unfinished::HostLost));
        let terminated = Some(Unfinished::Interrupted(143));
        assert_eq!(of(Some(143), Some("why")), terminated);
        assert_eq!(unfinished(&[]), None);
    }
}
