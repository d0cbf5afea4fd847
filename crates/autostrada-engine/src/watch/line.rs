//! One sample as it is printed: `docs/format.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use autostrada_measure::Nanos;
use autostrada_observe::{Figures, HostFigures, Reasons, SocketFigures};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// What all processes of the plan with their descendants, their connections and the machine have
/// done by one instant. Counters begin with the process, the connection or the machine and do not
/// fall: the difference of two lines is what was done in between.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sample<'a> {
    /// Instant of the sample.
    pub at_ns: Nanos,
    /// The processes of the plan that can be read, by name.
    #[schemars(with = "BTreeMap<String, Process>")]
    pub processes: Named<&'a str, Process>,
    /// Their connections, by the name of the process; absent where this sample leaves them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, SocketFigures>>")]
    pub sockets: Option<NamedSockets>,
    /// The machine; absent where the plan leaves it out, or the cores cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostFigures>,
    /// Figures that were asked for and cannot be read, by their path, each with the reason: in the
    /// first sample that lacks them.
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
pub type NamedSockets = Named<Arc<str>, SocketFigures>;

/// A process and its descendants.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Process {
    /// CPU time, user and system, since each of them started.
    cpu_ns: u64,
    /// User CPU time, in ticks of 10 ms each.
    user_ns: Option<u64>,
    /// System CPU time, in ticks of 10 ms each.
    system_ns: Option<u64>,
    /// Resident memory of those that run; shared memory counts for each.
    resident_bytes: u64,
    /// The same with shared memory divided among those that share it (`Pss`), as it was last read.
    proportional_bytes: Option<u64>,
    /// The sum of the most resident memory that each ever had; it does not fall.
    peak_resident_bytes: u64,
    /// Threads at this instant.
    threads: Option<u64>,
    /// How often their threads gave up a core to wait; a process that has ended counts as it was last
    /// sampled.
    switches_voluntary: Option<u64>,
    /// How often a core was taken from one of their threads; counted in the same way.
    switches_forced: Option<u64>,
    /// Page faults that needed no disk.
    faults_minor: Option<u64>,
    /// Page faults that needed a disk.
    faults_major: Option<u64>,
    /// Open files at this instant.
    files: Option<u64>,
    /// Whether the process itself has ended: this is its last sample, with the last figures that are
    /// known. What is left of its descendants is not sampled any more.
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

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_observe::{Core, SocketCounters, Usage};

    fn text(sample: &Sample<'_>) -> String {
        serde_json::to_string(sample).unwrap()
    }

    fn sample(at_ns: Nanos) -> Sample<'static> {
        Sample {
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
        let sample = Sample {
            processes: Named(vec![("client", process)]),
            missing: [("processes.client.files".into(), "why".into())].into(),
            ..sample(81)
        };
        assert_eq!(
            text(&sample),
            r#"{"at_ns":81,"processes":{"client":{"cpu_ns":1,"user_ns":2,"system_ns":3,"resident_bytes":4,"proportional_bytes":5,"peak_resident_bytes":6,"threads":7,"switches_voluntary":8,"switches_forced":9,"faults_minor":10,"faults_major":11,"files":null,"gone":false}},"missing":{"processes.client.files":"why"}}"#
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
        let sample = Sample {
            sockets: Some(Named(vec![("client".into(), figures)])),
            ..sample(81)
        };
        assert_eq!(
            text(&sample),
            r#"{"at_ns":81,"processes":{},"sockets":{"client":{"connections":1,"sampled":2,"send_queue_bytes":3,"send_queue_bytes_max":4,"send_queues_filled":5,"receive_queue_bytes":6,"receive_queue_bytes_max":7,"receive_queues_filled":8,"unsent_bytes":9,"sent_bytes":10,"received_bytes":11,"segments_out":12,"segments_in":13,"retransmits":14,"busy_ns":16,"receive_window_limited_ns":17,"send_buffer_limited_ns":18,"rtt_ns_median":15}},"missing":{}}"#
        );
    }

    #[test]
    fn the_machine_is_as_the_document_shows_it() {
        let core = Core {
            busy_ns: 1,
            idle_ns: 2,
            steal_ns: None,
            softirq_ns: 3,
        };
        let figures = HostFigures {
            cores: vec![core],
            pruned: Some(4),
            ..HostFigures::default()
        };
        let sample = Sample {
            host: Some(figures),
            ..sample(81)
        };
        assert_eq!(
            text(&sample),
            r#"{"at_ns":81,"processes":{},"host":{"cores":[{"busy_ns":1,"idle_ns":2,"steal_ns":null,"softirq_ns":3}],"zero_windows_sent":null,"zero_windows_wanted":null,"pruned":4,"receive_drops":null,"listen_overflows":null,"listen_drops":null,"retransmits":null,"loopback_bytes":null,"memory_available_bytes":null,"pressure_cpu_some_ns":null},"missing":{}}"#
        );
    }
}
