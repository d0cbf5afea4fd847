//! One sample as it is printed: `docs/format.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use autostrada_measure::Nanos;
use autostrada_observe::{Core, Figures, HostFigures, Reasons, SocketFigures};
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
    #[schemars(with = "Option<BTreeMap<String, Sockets>>")]
    pub sockets: Option<NamedSockets>,
    /// The machine; absent where the plan leaves it out, or the cores cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
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
pub type NamedSockets = Named<Arc<str>, Sockets>;

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

/// The connections of a process and its descendants.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sockets {
    /// TCP connections that are open, established or half closed, IPv4 and IPv6, as they were last
    /// counted; of a process with more than 2,000 open files an estimate; 0 in a network namespace
    /// other than that of the engine.
    connections: u64,
    /// How many of them this sample has read, chosen evenly: the same ones while they live and no
    /// others come. All other keys are of these.
    sampled: u64,
    /// Bytes written and not acknowledged.
    send_queue_bytes: u64,
    /// The longest send queue of one connection.
    send_queue_bytes_max: u64,
    /// Connections whose send queue is not empty.
    send_queues_filled: u64,
    /// Bytes received and not read.
    receive_queue_bytes: u64,
    /// The longest receive queue of one connection.
    receive_queue_bytes_max: u64,
    /// Connections whose receive queue is not empty.
    receive_queues_filled: u64,
    /// Bytes of the send queues that have not been sent yet.
    unsent_bytes: u64,
    /// Bytes that the peers acknowledged. A connection that is closed counts as it was last sampled;
    /// one that is sampled late counts from then on.
    sent_bytes: u64,
    /// Bytes received in order.
    received_bytes: u64,
    /// Segments sent.
    segments_out: u64,
    /// Segments received.
    segments_in: u64,
    /// Segments sent again.
    retransmits: u64,
    /// The median of their smoothed round-trip times; 0 where none is known.
    rtt_ns_median: u64,
    /// How long each had unacknowledged data, all together.
    busy_ns: u64,
    /// How much of that the peer's receive window was full.
    receive_window_limited_ns: u64,
    /// How much of that the own send buffer was full.
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

/// The machine; figures of TCP and of loopback are those of the network namespace of the engine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Host {
    /// Each core, since the machine started.
    cores: Vec<CoreTimes>,
    /// How often a receiver told its peer that there is no room.
    zero_windows_sent: Option<u64>,
    /// How often a receiver had no room, and could not close the window that it had granted.
    zero_windows_wanted: Option<u64>,
    /// Receive queues that were shortened for want of memory.
    pruned: Option<u64>,
    /// Segments that were dropped for want of room.
    receive_drops: Option<u64>,
    /// Connections that nobody accepted in time.
    listen_overflows: Option<u64>,
    /// All connections that were not let in.
    listen_drops: Option<u64>,
    /// Segments sent again.
    retransmits: Option<u64>,
    /// Bytes through the loopback interface.
    loopback_bytes: Option<u64>,
    /// Memory that is available without swapping, at this instant.
    memory_available_bytes: Option<u64>,
    /// How long something was ready to run and waited for a core.
    pressure_cpu_some_ns: Option<u64>,
}

/// One core of the machine.
#[derive(Debug, Serialize, JsonSchema)]
struct CoreTimes {
    /// Time at work.
    busy_ns: u64,
    /// Time idle.
    idle_ns: u64,
    /// Time taken by the hypervisor.
    steal_ns: Option<u64>,
    /// How much of the busy time was spent in soft interrupts, where the kernel does most of its
    /// network work.
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
    use autostrada_observe::{SocketCounters, Usage};

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
            sockets: Some(Named(vec![("client".into(), figures.into())])),
            ..sample(81)
        };
        assert_eq!(
            text(&sample),
            r#"{"at_ns":81,"processes":{},"sockets":{"client":{"connections":1,"sampled":2,"send_queue_bytes":3,"send_queue_bytes_max":4,"send_queues_filled":5,"receive_queue_bytes":6,"receive_queue_bytes_max":7,"receive_queues_filled":8,"unsent_bytes":9,"sent_bytes":10,"received_bytes":11,"segments_out":12,"segments_in":13,"retransmits":14,"rtt_ns_median":15,"busy_ns":16,"receive_window_limited_ns":17,"send_buffer_limited_ns":18}},"missing":{}}"#
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
        let sample = Sample {
            host: Host::new(figures),
            ..sample(81)
        };
        assert_eq!(
            text(&sample),
            r#"{"at_ns":81,"processes":{},"host":{"cores":[{"busy_ns":1,"idle_ns":2,"steal_ns":null,"softirq_ns":3}],"zero_windows_sent":null,"zero_windows_wanted":null,"pruned":4,"receive_drops":null,"listen_overflows":null,"listen_drops":null,"retransmits":null,"loopback_bytes":null,"memory_available_bytes":null,"pressure_cpu_some_ns":null},"missing":{}}"#
        );
        assert!(Host::new(HostFigures::default()).is_none());
    }
}
