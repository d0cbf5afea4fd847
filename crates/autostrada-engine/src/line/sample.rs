//! The printed form of one sample (`docs/format.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use autostrada_measure::Nanos;
use autostrada_observe::{HostMetrics, Metrics, Reasons, SocketMetrics};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// One sample of the processes of the plan with their descendants, their TCP connections, and the
/// machine. Counters start with the process, the connection or the machine and never decrease, so
/// the difference of two samples is what happened between them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sample<'a> {
    /// Instant of the sample (`CLOCK_MONOTONIC`), in nanoseconds.
    pub at_ns: Nanos,
    /// Metrics of each process of the plan that can be read, with its descendants, by the name in
    /// the plan. A process that has ended is absent after the sample in which `gone` is true.
    #[schemars(with = "BTreeMap<String, ProcessMetrics>")]
    pub processes: Named<&'a str, ProcessMetrics>,
    /// TCP connections of each process, by the name in the plan. Absent if the plan excludes them
    /// (`sockets`), if this sample omits them to save CPU time, or if they cannot be read; only in
    /// the last case `missing` states a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, SocketMetrics>>")]
    pub sockets: Option<NamedSockets>,
    /// Metrics of the machine. Absent if the plan excludes them (`host`), or if the times of the
    /// cores cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostMetrics>,
    /// Speed of the cores of the plan (`loop_cores`). Absent if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<CoreLoops>,
    /// Requested metrics that cannot be read, by their path (such as `processes.NAME.files`), each
    /// with the reason. A metric is listed only in the first sample that lacks it, and again if it
    /// was readable in between.
    pub missing: BTreeMap<String, String>,
}

/// How fast a core was: counters since the observer's start.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct CoreLoops {
    /// Number of the core.
    pub core: usize,
    /// Number of loops that were timed.
    pub loops: u64,
    /// Sum of their times, in nanoseconds.
    pub loops_ns: u64,
    /// Number of messages, there and back, to the last core of the plan; only of the first core.
    pub messages: u64,
    /// Sum of their times, in nanoseconds.
    pub messages_ns: u64,
}

/// A map that is printed in the given order.
#[derive(Debug)]
pub struct Named<N, T>(pub Vec<(N, T)>);

impl<N: AsRef<str>, T: Serialize> Serialize for Named<N, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name.as_ref(), value)))
    }
}

/// The connections of each observed process, by name.
pub type NamedSockets = Named<Arc<str>, SocketMetrics>;

/// Metrics of a process and its descendants together. A metric that cannot be read is null.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProcessMetrics {
    /// CPU time since each process started, user and system, in nanoseconds; descendants that have
    /// ended are included.
    cpu_ns: u64,
    /// User CPU time since each process started, in nanoseconds; a multiple of the kernel's tick,
    /// usually 10 ms.
    user_ns: Option<u64>,
    /// System CPU time since each process started, in nanoseconds; a multiple of the kernel's tick,
    /// usually 10 ms.
    system_ns: Option<u64>,
    /// Resident memory of the running processes at this instant, in bytes (RSS). Shared memory
    /// counts once for each process.
    resident_bytes: u64,
    /// Resident memory with shared memory divided among the processes that share it, in bytes
    /// (PSS). It is read at most once per second; in between the last value is repeated.
    proportional_bytes: Option<u64>,
    /// Sum of the peak resident memory of each process, in bytes; it never decreases.
    peak_resident_bytes: u64,
    /// Number of threads at this instant.
    threads: Option<u64>,
    /// Number of voluntary context switches: a thread waited for something. A process that has
    /// ended counts with its last sample.
    switches_voluntary: Option<u64>,
    /// Number of involuntary context switches: the scheduler gave the core to another thread. A
    /// process that has ended counts with its last sample.
    switches_forced: Option<u64>,
    /// Number of minor page faults, which need no disk access.
    faults_minor: Option<u64>,
    /// Number of major page faults, which need a disk access.
    faults_major: Option<u64>,
    /// Number of open file descriptors at this instant.
    files: Option<u64>,
    /// Whether the process itself has ended. If so, this is its last sample, with its last known
    /// metrics, and remaining descendants are not sampled further.
    gone: bool,
}

impl ProcessMetrics {
    /// Returns the printed form of `metrics`; metrics in `missing` are null.
    pub fn new(metrics: &Metrics, missing: &Reasons, gone: bool) -> Self {
        let known = |name: &str, metric: u64| (!missing.contains_key(name)).then_some(metric);
        let used = &metrics.used;
        Self {
            cpu_ns: used.cpu_ns,
            user_ns: known("user_ns", used.user_ns),
            system_ns: known("system_ns", used.system_ns),
            resident_bytes: metrics.resident_bytes,
            proportional_bytes: known("proportional_bytes", metrics.proportional_bytes),
            peak_resident_bytes: metrics.peak_resident_bytes,
            threads: known("threads", metrics.threads),
            switches_voluntary: known("switches_voluntary", used.switches_voluntary),
            switches_forced: known("switches_forced", used.switches_forced),
            faults_minor: known("faults_minor", used.faults_minor),
            faults_major: known("faults_major", used.faults_major),
            files: known("files", metrics.files),
            gone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_observe::Usage;

    #[test]
    fn a_process_is_printed_as_documented() {
        let metrics = Metrics {
            used: Usage {
                cpu_ns: 1,
                user_ns: 2,
                system_ns: 3,
                switches_voluntary: 8,
                switches_forced: 9,
                faults_minor: 10,
                faults_major: 11,
            },
            resident_bytes: 4,
            proportional_bytes: 5,
            peak_resident_bytes: 6,
            threads: 7,
            files: 12,
        };
        let missing = [("files", "why".to_owned())].into();
        let process = ProcessMetrics::new(&metrics, &missing, false);
        let sample = Sample {
            processes: Named(vec![("client", process)]),
            missing: [("processes.client.files".into(), "why".into())].into(),
            at_ns: 81,
            sockets: None,
            host: None,
            loops: Vec::new(),
        };
        assert_eq!(
            serde_json::to_string(&sample).unwrap(),
            r#"{"at_ns":81,"processes":{"client":{"cpu_ns":1,"user_ns":2,"system_ns":3,"resident_bytes":4,"proportional_bytes":5,"peak_resident_bytes":6,"threads":7,"switches_voluntary":8,"switches_forced":9,"faults_minor":10,"faults_major":11,"files":null,"gone":false}},"missing":{"processes.client.files":"why"}}"#
        );
    }
}
