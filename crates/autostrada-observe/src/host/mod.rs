//! The machine as a whole: its cores, its TCP, its memory, from files of `/proc` that stay open.

mod counters;

use std::fs::File;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cores::{self, Core};
use crate::kernel::read_to_end;
use crate::source::Reasons;
use crate::stat::tick_ns;

/// The machine; figures of TCP and of loopback are those of the network namespace of the engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Host")]
pub struct HostFigures {
    /// Each core, since the machine started.
    pub cores: Vec<Core>,
    /// How often a receiver told its peer that there is no room.
    pub zero_windows_sent: Option<u64>,
    /// How often a receiver had no room, and could not close the window that it had granted.
    pub zero_windows_wanted: Option<u64>,
    /// Receive queues that were shortened for want of memory.
    pub pruned: Option<u64>,
    /// Segments that were dropped for want of room.
    pub receive_drops: Option<u64>,
    /// Connections that nobody accepted in time.
    pub listen_overflows: Option<u64>,
    /// All connections that were not let in.
    pub listen_drops: Option<u64>,
    /// Segments sent again.
    pub retransmits: Option<u64>,
    /// Bytes through the loopback interface.
    pub loopback_bytes: Option<u64>,
    /// Memory that is available without swapping, at this instant.
    pub memory_available_bytes: Option<u64>,
    /// How long something was ready to run and waited for a core.
    pub pressure_cpu_some_ns: Option<u64>,
    /// Which of these are not known, by name, and why.
    #[serde(skip)]
    pub missing: Reasons,
}

/// A file, or why it cannot be opened.
type Kept = Result<File, String>;

/// The machine, sampled again and again.
#[derive(Debug)]
pub struct Host {
    tick_ns: u64,
    stat: Kept,
    netstat: Kept,
    snmp: Kept,
    dev: Kept,
    meminfo: Kept,
    pressure: Kept,
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// Opens what stays open.
    #[must_use]
    pub fn new() -> Self {
        let open = |path: &str| File::open(path).map_err(|error| format!("{path}: {error}"));
        Self {
            tick_ns: tick_ns(),
            stat: open("/proc/stat"),
            netstat: open("/proc/net/netstat"),
            snmp: open("/proc/net/snmp"),
            dev: open("/proc/net/dev"),
            meminfo: open("/proc/meminfo"),
            pressure: open("/proc/pressure/cpu"),
        }
    }

    /// Samples the machine.
    #[must_use]
    pub fn sample(&self) -> HostFigures {
        let mut missing = Reasons::new();
        let cores = find_in(&self.stat, |text| cores::parse(text, self.tick_ns));
        let netstat = find_in(&self.netstat, |text| Some(text.to_owned()));
        let mut take = |name: &'static str, figure: Result<u64, String>| {
            figure.map_err(|why| missing.insert(name, why)).ok()
        };
        let extended = |names: &[&str]| {
            let text = netstat.as_ref().map_err(String::clone)?;
            counters::sum(text, "TcpExt:", names)
                .ok_or_else(|| format!("this kernel does not count {}", names.join(", ")))
        };
        let retransmits = find_in(&self.snmp, |text| {
            counters::sum(text, "Tcp:", &["RetransSegs"])
        });
        let loopback_bytes = find_in(&self.dev, |text| counters::received_bytes(text, "lo"));
        let mut figures = HostFigures {
            zero_windows_sent: take("zero_windows_sent", extended(&["TCPToZeroWindowAdv"])),
            zero_windows_wanted: take("zero_windows_wanted", extended(&["TCPWantZeroWindowAdv"])),
            pruned: take(
                "pruned",
                extended(&["PruneCalled", "RcvPruned", "OfoPruned"]),
            ),
            receive_drops: take(
                "receive_drops",
                extended(&["TCPBacklogDrop", "TCPRcvQDrop", "TCPZeroWindowDrop"]),
            ),
            listen_overflows: take("listen_overflows", extended(&["ListenOverflows"])),
            listen_drops: take("listen_drops", extended(&["ListenDrops"])),
            retransmits: take("retransmits", retransmits),
            loopback_bytes: take("loopback_bytes", loopback_bytes),
            memory_available_bytes: take(
                "memory_available_bytes",
                find_in(&self.meminfo, counters::memory_available_bytes),
            ),
            pressure_cpu_some_ns: take(
                "pressure_cpu_some_ns",
                find_in(&self.pressure, counters::pressure_some_ns),
            ),
            ..HostFigures::default()
        };
        figures.take_cores(cores, &mut missing);
        figures.missing = missing;
        figures
    }
}

impl HostFigures {
    fn take_cores(&mut self, cores: Result<Vec<Core>, String>, missing: &mut Reasons) {
        match cores {
            Ok(cores) => {
                if cores.iter().any(|core| core.steal_ns.is_none()) {
                    missing.insert("cores.steal_ns", "this kernel does not count it".into());
                }
                self.cores = cores;
            }
            Err(why) => {
                missing.insert("cores", why);
            }
        }
    }
}

/// What is found in a file, or why it is not.
fn find_in<T>(file: &Kept, find: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
    let file = file.as_ref().map_err(String::clone)?;
    let text = read_to_end(file).map_err(|error| error.to_string())?;
    find(&text).ok_or_else(|| "this kernel does not tell it as proc(5) describes".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn this_machine_tells_what_goes_through_its_loopback() {
        let host = Host::new();
        let before = host.sample();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        client.write_all(&vec![7; 100_000]).unwrap();
        server.read_exact(&mut vec![0; 100_000]).unwrap();
        let after = host.sample();
        assert!(before.loopback_bytes.unwrap() + 100_000 <= after.loopback_bytes.unwrap());
        assert!(before.listen_drops.unwrap() <= after.listen_drops.unwrap());
        assert!(after.memory_available_bytes.unwrap() > 0);
        let cores = after.cores;
        let busy_ns = |cores: &[Core]| cores.iter().map(|core| core.busy_ns).sum::<u64>();
        assert!(busy_ns(&cores) >= busy_ns(&before.cores));
    }

    #[test]
    fn what_cannot_be_read_is_not_zero_and_says_why() {
        let absent = || Err("/proc/none: not there".into());
        let host = Host {
            stat: absent(),
            netstat: absent(),
            snmp: File::open("/proc/version").map_err(|error| error.to_string()),
            ..Host::new()
        };
        let figures = host.sample();
        assert_eq!((figures.cores, figures.listen_drops), (vec![], None));
        assert_eq!(figures.missing["cores"], "/proc/none: not there");
        assert_eq!(figures.missing["listen_drops"], "/proc/none: not there");
        assert_eq!(figures.retransmits, None);
        assert!(figures.missing["retransmits"].contains("proc(5)"));
        assert!(figures.memory_available_bytes.is_some());
    }
}
