//! One look as it is printed: `docs/format.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use autostrada_measure::Nanos;
use autostrada_observe::{Core, Figures, HostFigures, Reasons, SocketFigures};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// One look at all that is watched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Look<'a> {
    /// The instant of the look.
    pub at_ns: Nanos,
    /// By name; none that cannot be read.
    #[schemars(with = "BTreeMap<String, Process>")]
    pub processes: Named<&'a str, Process>,
    /// By name; absent where this look was not at sockets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, Sockets>>")]
    pub sockets: Option<NamedSockets>,
    /// Absent where the plan leaves it out, or the cores cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// What cannot be had although it is asked for, and why: in the first look that lacks it.
    pub missing: BTreeMap<String, String>,
}

/// Things by their names, in the order in which they are to be printed.
#[derive(Debug)]
pub struct Named<N, T>(pub Vec<(N, T)>);

impl<N: AsRef<str>, T: Serialize> Serialize for Named<N, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, thing)| (name.as_ref(), thing)))
    }
}

/// The connections of each process that is watched.
pub type NamedSockets = Named<Arc<str>, Sockets>;

/// What a process and its descendants use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Process {
    cpu_ns: u64,
    user_ns: Option<u64>,
    system_ns: Option<u64>,
    resident_bytes: u64,
    proportional_bytes: Option<u64>,
    peak_resident_bytes: u64,
    threads: Option<u64>,
    switches_voluntary: Option<u64>,
    switches_forced: Option<u64>,
    faults_minor: Option<u64>,
    faults_major: Option<u64>,
    files: Option<u64>,
    /// It has ended: this is the last look at it.
    gone: bool,
}

impl Process {
    /// What is known of a process; a figure that is missing is null.
    pub fn new(figures: &Figures, missing: &Reasons, gone: bool) -> Self {
        let known = |name: &str, figure: u64| (!missing.contains_key(name)).then_some(figure);
        let used = &figures.used;
        Self {
            cpu_ns: used.cpu_ns,
            user_ns: known("user_ns", used.user_ns),
            system_ns: known("system_ns", used.system_ns),
            resident_bytes: figures.resident_bytes,
            proportional_bytes: known("proportional_bytes", figures.proportional_bytes),
            peak_resident_bytes: figures.peak_resident_bytes,
            threads: known("threads", figures.threads),
            switches_voluntary: known("switches_voluntary", used.switches_voluntary),
            switches_forced: known("switches_forced", used.switches_forced),
            faults_minor: known("faults_minor", used.faults_minor),
            faults_major: known("faults_major", used.faults_major),
            files: known("files", figures.files),
            gone,
        }
    }
}

/// The connections of a process and its descendants.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sockets {
    connections: u64,
    sampled: u64,
    send_queue_bytes: u64,
    send_queue_bytes_max: u64,
    send_queues_filled: u64,
    receive_queue_bytes: u64,
    receive_queue_bytes_max: u64,
    receive_queues_filled: u64,
    unsent_bytes: u64,
    sent_bytes: u64,
    received_bytes: u64,
    segments_out: u64,
    segments_in: u64,
    retransmits: u64,
    rtt_ns_median: u64,
    busy_ns: u64,
    receive_window_limited_ns: u64,
    send_buffer_limited_ns: u64,
}

impl From<SocketFigures> for Sockets {
    fn from(figures: SocketFigures) -> Self {
        let counters = figures.counters;
        Self {
            connections: figures.connections,
            sampled: figures.sampled,
            send_queue_bytes: figures.send_queue_bytes,
            send_queue_bytes_max: figures.send_queue_bytes_max,
            send_queues_filled: figures.send_queues_filled,
            receive_queue_bytes: figures.receive_queue_bytes,
            receive_queue_bytes_max: figures.receive_queue_bytes_max,
            receive_queues_filled: figures.receive_queues_filled,
            unsent_bytes: figures.unsent_bytes,
            sent_bytes: counters.sent_bytes,
            received_bytes: counters.received_bytes,
            segments_out: counters.segments_out,
            segments_in: counters.segments_in,
            retransmits: counters.retransmits,
            rtt_ns_median: figures.rtt_ns_median,
            busy_ns: counters.busy_ns,
            receive_window_limited_ns: counters.receive_window_limited_ns,
            send_buffer_limited_ns: counters.send_buffer_limited_ns,
        }
    }
}

/// The machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Host {
    cores: Vec<CoreTimes>,
    zero_windows_sent: Option<u64>,
    zero_windows_wanted: Option<u64>,
    pruned: Option<u64>,
    receive_drops: Option<u64>,
    listen_overflows: Option<u64>,
    listen_drops: Option<u64>,
    retransmits: Option<u64>,
    loopback_bytes: Option<u64>,
    memory_available_bytes: Option<u64>,
    pressure_cpu_some_ns: Option<u64>,
}

/// One core of it.
#[derive(Debug, Serialize, JsonSchema)]
struct CoreTimes {
    busy_ns: u64,
    idle_ns: u64,
    steal_ns: Option<u64>,
    softirq_ns: u64,
}

impl Host {
    /// What is known of the machine; `None` where its cores are not.
    pub fn new(figures: HostFigures) -> Option<Self> {
        let times = |core: Core| CoreTimes {
            busy_ns: core.busy_ns,
            idle_ns: core.idle_ns,
            steal_ns: core.steal_ns,
            softirq_ns: core.softirq_ns,
        };
        Some(Self {
            cores: figures.cores?.into_iter().map(times).collect(),
            zero_windows_sent: figures.zero_windows_sent,
            zero_windows_wanted: figures.zero_windows_wanted,
            pruned: figures.pruned,
            receive_drops: figures.receive_drops,
            listen_overflows: figures.listen_overflows,
            listen_drops: figures.listen_drops,
            retransmits: figures.retransmits,
            loopback_bytes: figures.loopback_bytes,
            memory_available_bytes: figures.memory_available_bytes,
            pressure_cpu_some_ns: figures.pressure_cpu_some_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Line;
    use autostrada_observe::{SocketCounters, Usage};

    fn text(look: &Look<'_>) -> String {
        serde_json::to_string(&Line::Look(look)).unwrap()
    }

    fn look(at_ns: Nanos) -> Look<'static> {
        Look {
            at_ns,
            processes: Named(Vec::new()),
            sockets: None,
            host: None,
            missing: BTreeMap::new(),
        }
    }

    #[test]
    fn a_process_is_as_the_document_shows_it() {
        let figures = Figures {
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
        let process = Process::new(&figures, &missing, false);
        let look = Look {
            processes: Named(vec![("client", process)]),
            missing: [("processes.client.files".into(), "why".into())].into(),
            ..look(81)
        };
        assert_eq!(
            text(&look),
            r#"{"event":"look","at_ns":81,"processes":{"client":{"cpu_ns":1,"user_ns":2,"system_ns":3,"resident_bytes":4,"proportional_bytes":5,"peak_resident_bytes":6,"threads":7,"switches_voluntary":8,"switches_forced":9,"faults_minor":10,"faults_major":11,"files":null,"gone":false}},"missing":{"processes.client.files":"why"}}"#
        );
    }

    #[test]
    fn sockets_are_as_the_document_shows_them() {
        let figures = SocketFigures {
            connections: 1,
            sampled: 2,
            send_queue_bytes: 3,
            send_queue_bytes_max: 4,
            send_queues_filled: 5,
            receive_queue_bytes: 6,
            receive_queue_bytes_max: 7,
            receive_queues_filled: 8,
            unsent_bytes: 9,
            counters: SocketCounters {
                sent_bytes: 10,
                received_bytes: 11,
                segments_out: 12,
                segments_in: 13,
                retransmits: 14,
                busy_ns: 16,
                receive_window_limited_ns: 17,
                send_buffer_limited_ns: 18,
            },
            rtt_ns_median: 15,
        };
        let look = Look {
            sockets: Some(Named(vec![("client".into(), figures.into())])),
            ..look(81)
        };
        assert_eq!(
            text(&look),
            r#"{"event":"look","at_ns":81,"processes":{},"sockets":{"client":{"connections":1,"sampled":2,"send_queue_bytes":3,"send_queue_bytes_max":4,"send_queues_filled":5,"receive_queue_bytes":6,"receive_queue_bytes_max":7,"receive_queues_filled":8,"unsent_bytes":9,"sent_bytes":10,"received_bytes":11,"segments_out":12,"segments_in":13,"retransmits":14,"rtt_ns_median":15,"busy_ns":16,"receive_window_limited_ns":17,"send_buffer_limited_ns":18}},"missing":{}}"#
        );
    }

    #[test]
    fn the_machine_is_as_the_document_shows_it_and_absent_without_cores() {
        let core = Core {
            busy_ns: 1,
            idle_ns: 2,
            steal_ns: None,
            softirq_ns: 3,
        };
        let figures = HostFigures {
            cores: Some(vec![core]),
            pruned: Some(4),
            ..HostFigures::default()
        };
        let look = Look {
            host: Host::new(figures),
            ..look(81)
        };
        assert_eq!(
            text(&look),
            r#"{"event":"look","at_ns":81,"processes":{},"host":{"cores":[{"busy_ns":1,"idle_ns":2,"steal_ns":null,"softirq_ns":3}],"zero_windows_sent":null,"zero_windows_wanted":null,"pruned":4,"receive_drops":null,"listen_overflows":null,"listen_drops":null,"retransmits":null,"loopback_bytes":null,"memory_available_bytes":null,"pressure_cpu_some_ns":null},"missing":{}}"#
        );
        assert!(Host::new(HostFigures::default()).is_none());
    }
}
