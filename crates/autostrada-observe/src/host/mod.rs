//! Metrics of the whole machine: cores, TCP and memory, from files of `/proc` that stay open.

mod counters;

use std::collections::BTreeMap;
use std::fs::File;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cores::{self, Core};
use crate::kernel::read_to_end;
use crate::socket::Network;
use crate::source::Reasons;
use crate::stat::tick_ns;

/// Metrics of the machine. Counters start with the machine. Those of TCP and of the loopback
/// interface are sums over the network namespaces of the observed processes. A metric that cannot
/// be read is null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HostMetrics {
    /// Times of each core that is online, in the order of `/proc/stat`.
    pub cores: Vec<Core>,
    /// Number of times that a receiver advertised a window of 0 (`TCPToZeroWindowAdv`).
    pub zero_windows_sent: Option<u64>,
    /// Number of times that a receiver had no room, but could not withdraw the window that it had
    /// advertised (`TCPWantZeroWindowAdv`).
    pub zero_windows_wanted: Option<u64>,
    /// Number of times that the kernel pruned a receive queue because memory was short
    /// (`PruneCalled`, `RcvPruned`, `OfoPruned`).
    pub pruned: Option<u64>,
    /// Number of received segments that were dropped because a queue or the window was full
    /// (`TCPBacklogDrop`, `TCPRcvQDrop`, `TCPZeroWindowDrop`).
    pub receive_drops: Option<u64>,
    /// Number of connections that were dropped because the accept queue was full
    /// (`ListenOverflows`).
    pub listen_overflows: Option<u64>,
    /// Number of connections that a listening socket dropped for any reason, a full accept queue
    /// included (`ListenDrops`).
    pub listen_drops: Option<u64>,
    /// Number of retransmitted segments (`RetransSegs`).
    pub retransmits: Option<u64>,
    /// Number of bytes received by the loopback interface `lo`, headers included.
    pub loopback_bytes: Option<u64>,
    /// Memory that is available without swapping at this instant, in bytes (`MemAvailable`).
    pub memory_available_bytes: Option<u64>,
    /// Memory of the kernel's own data structures at this instant, in bytes (`Slab` of
    /// `/proc/meminfo`): sockets and files among others.
    pub slab_bytes: Option<u64>,
    /// Memory of the queues of all TCP sockets of the machine at this instant, in bytes, with
    /// overhead and reserves (`TCP: mem` of `/proc/net/sockstat`); the kernel leaves out up to
    /// 1 MiB a core.
    pub tcp_memory_bytes: Option<u64>,
    /// Time in which at least one task was ready to run but waited for a core, in nanoseconds
    /// (`some` of `/proc/pressure/cpu`).
    pub pressure_cpu_some_ns: Option<u64>,
    /// Missing metrics, by name, with the reason; not printed here.
    #[serde(skip)]
    pub missing: Reasons,
}

/// An open file, or the reason why it cannot be opened.
type OpenFile = Result<File, String>;

/// Samples the machine.
#[derive(Debug)]
pub struct Host {
    tick_ns: u64,
    stat: OpenFile,
    networks: Vec<NetworkFiles>,
    meminfo: OpenFile,
    sockstat: OpenFile,
    pressure: OpenFile,
}

/// The files of a network namespace, which exists at least as long as they are open.
#[derive(Debug)]
struct NetworkFiles {
    netstat: OpenFile,
    snmp: OpenFile,
    dev: OpenFile,
}

impl NetworkFiles {
    /// Opens the files in the network namespace of a process, given by its name in `/proc`.
    fn of(process: &str) -> Self {
        let open = |name: &str| open(&format!("/proc/{process}/net/{name}"));
        Self {
            netstat: open("netstat"),
            snmp: open("snmp"),
            dev: open("dev"),
        }
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new(&[])
    }
}

fn open(path: &str) -> OpenFile {
    File::open(path).map_err(|error| format!("{path}: {error}"))
}

impl Host {
    /// Opens the files of `/proc`; one that cannot be opened makes its metrics missing.
    ///
    /// The network namespaces are those of the processes `pids`, or that of this process if none
    /// of them runs.
    pub fn new(pids: &[i32]) -> Self {
        let networks: BTreeMap<Network, i32> = pids
            .iter()
            .filter_map(|pid| Some((Network::of(*pid).ok()?, *pid)))
            .collect();
        let names = networks.values().map(i32::to_string);
        let own = networks.is_empty().then(|| "self".to_owned());
        Self {
            tick_ns: tick_ns(),
            stat: open("/proc/stat"),
            networks: names
                .chain(own)
                .map(|name| NetworkFiles::of(&name))
                .collect(),
            meminfo: open("/proc/meminfo"),
            sockstat: open("/proc/net/sockstat"),
            pressure: open("/proc/pressure/cpu"),
        }
    }

    /// Takes a sample.
    pub fn sample(&self) -> HostMetrics {
        let mut missing = Reasons::new();
        let cores = find_in(&self.stat, |text| cores::parse(text, self.tick_ns));
        let meminfo = find_in(&self.meminfo, |text| Some(text.to_owned()));
        let netstats: Vec<Result<String, String>> = self
            .networks
            .iter()
            .map(|files| find_in(&files.netstat, |text| Some(text.to_owned())))
            .collect();
        let cores = cores.unwrap_or_else(|reason| {
            missing.insert("cores", reason);
            Vec::new()
        });
        if cores.iter().any(|core| core.steal_ns.is_none()) {
            missing.insert("cores.steal_ns", "this kernel does not count it".into());
        }
        let mut known = |name: &'static str, metric: Result<u64, String>| {
            metric.map_err(|reason| missing.insert(name, reason)).ok()
        };
        let extended = |names: &[&str]| -> Result<u64, String> {
            let counted = |netstat: &Result<String, String>| {
                let text = netstat.as_ref().map_err(String::clone)?;
                counters::sum(text, "TcpExt:", names)
                    .ok_or_else(|| format!("this kernel does not count {}", names.join(", ")))
            };
            netstats.iter().map(counted).sum()
        };
        let memory = |name: &str| {
            let text = meminfo.as_ref().map_err(String::clone)?;
            counters::memory_bytes(text, name)
                .ok_or_else(|| format!("this kernel does not report {name}"))
        };
        let tcp_memory_bytes = find_in(&self.sockstat, |text| {
            counters::tcp_memory_bytes(text, procfs::page_size())
        });
        let retransmits = self.sum_of(|files| {
            find_in(&files.snmp, |text| {
                counters::sum(text, "Tcp:", &["RetransSegs"])
            })
        });
        let loopback_bytes =
            self.sum_of(|files| find_in(&files.dev, |text| counters::received_bytes(text, "lo")));
        HostMetrics {
            cores,
            zero_windows_sent: known("zero_windows_sent", extended(&["TCPToZeroWindowAdv"])),
            zero_windows_wanted: known("zero_windows_wanted", extended(&["TCPWantZeroWindowAdv"])),
            pruned: known(
                "pruned",
                extended(&["PruneCalled", "RcvPruned", "OfoPruned"]),
            ),
            receive_drops: known(
                "receive_drops",
                extended(&["TCPBacklogDrop", "TCPRcvQDrop", "TCPZeroWindowDrop"]),
            ),
            listen_overflows: known("listen_overflows", extended(&["ListenOverflows"])),
            listen_drops: known("listen_drops", extended(&["ListenDrops"])),
            retransmits: known("retransmits", retransmits),
            loopback_bytes: known("loopback_bytes", loopback_bytes),
            memory_available_bytes: known("memory_available_bytes", memory("MemAvailable")),
            slab_bytes: known("slab_bytes", memory("Slab")),
            tcp_memory_bytes: known("tcp_memory_bytes", tcp_memory_bytes),
            pressure_cpu_some_ns: known(
                "pressure_cpu_some_ns",
                find_in(&self.pressure, counters::pressure_some_ns),
            ),
            missing,
        }
    }

    /// Returns the sum of a counter over all network namespaces.
    fn sum_of(
        &self,
        counter: impl Fn(&NetworkFiles) -> Result<u64, String>,
    ) -> Result<u64, String> {
        self.networks.iter().map(counter).sum()
    }
}

/// Returns the result of `find` for the text of a file, or the reason why there is none.
fn find_in<T>(file: &OpenFile, find: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
    let file = file.as_ref().map_err(String::clone)?;
    let text = read_to_end(file).map_err(|error| error.to_string())?;
    find(&text).ok_or_else(|| "this kernel does not report it as described in proc(5)".into())
}

#[cfg(test)]
#[path = "tests/host.rs"]
mod tests;
