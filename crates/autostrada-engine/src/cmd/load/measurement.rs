//! A load that has ended, from which metrics, conditions and texts follow.

use schemars::JsonSchema;
use serde::Serialize;

use super::hosts::HostRow;
use super::server_sampler::ServerUsage;
use crate::client::{Buckets, DeliveriesRow, ExchangeRow, LoadResult, RecoveryRow};

/// A load that has ended: what was asked for, and what was measured.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Measurement {
    /// What was asked for, in one line.
    pub asked: String,
    /// URL of the server, without its query.
    pub url: String,
    #[serde(flatten)]
    pub result: LoadResult,
    /// What the server's process used in the window; null if it was not watched.
    pub server: Option<ServerUsage>,
    /// How the watched process ended while it was loaded; null if it did not, or was not watched.
    pub server_ended: Option<String>,
    /// What each host had of the load; absent if one engine measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRow>,
    /// Why conditions are not evaluated; null if they are.
    pub not_judged: Option<&'static str>,
}

impl Measurement {
    /// Returns the results of messages that were answered; `None` of other workloads.
    pub fn exchange(&self) -> Option<&ExchangeRow> {
        self.result.sections.echo.exchange.as_ref()
    }

    /// Returns the deliveries of messages that are timed by their instants; `None` of other loads.
    pub fn deliveries(&self) -> Option<&DeliveriesRow> {
        self.exchange()?.deliveries.as_ref()
    }

    /// Returns the results of connections that reconnect; `None` of other workloads.
    pub fn recovery(&self) -> Option<&RecoveryRow> {
        self.result.sections.reconnect.recovery.as_ref()
    }

    /// Returns the length of the window in seconds.
    pub fn window_s(&self) -> f64 {
        self.result.window_ns as f64 / 1e9
    }

    /// Returns the messages that were answered in the window, or else received.
    pub fn messages(&self) -> u64 {
        self.exchange()
            .map_or(self.result.messages, |exchange| exchange.completed)
    }

    /// Returns the response times, or the delivery times of a feed; `None` without.
    pub fn response_times(&self) -> Option<&Buckets> {
        let answered = self.exchange().map(|exchange| &exchange.response_time_ns);
        let delivered = self.result.delivery_time_ns.as_ref();
        let mut times = [answered, delivered].into_iter().flatten();
        times.find(|times| !times.is_empty())
    }

    /// Returns the largest share of a core that a thread of the load generator used.
    pub fn busiest_utilization(&self) -> f64 {
        let utilizations = self.result.utilizations.iter();
        utilizations.copied().fold(0.0, f64::max)
    }
}

#[cfg(test)]
pub mod tests {
    use serde_json::Value;

    use super::*;

    /// Returns the last line of an open loop as the engine prints it.
    pub fn result_line() -> Value {
        serde_json::from_str(include_str!("result_line.json")).unwrap()
    }

    /// Returns the load of that line; `change` changes the line before.
    pub fn measurement(change: impl FnOnce(&mut Value)) -> Measurement {
        let mut line = result_line();
        change(&mut line);
        Measurement {
            asked: "what was asked".to_owned(),
            url: "ws://a/".to_owned(),
            result: serde_json::from_value(line).unwrap(),
            server: None,
            server_ended: None,
            hosts: Vec::new(),
            not_judged: None,
        }
    }
}
