//! The times of each core since the machine started, from `/proc/stat`.

use procfs::{CpuTime, FromBufReadSI, KernelStats};
use schemars::JsonSchema;
use serde::Serialize;

/// Times of one core since the machine started, in nanoseconds; multiples of the kernel's tick,
/// usually 10 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CoreTimes")]
pub struct Core {
    /// Time in which the core ran processes or the kernel, interrupts included, in nanoseconds.
    pub busy_ns: u64,
    /// Time in which the core was idle or waited for a disk, in nanoseconds.
    pub idle_ns: u64,
    /// Time in which the hypervisor gave the core to others although it had work, in nanoseconds;
    /// null if the kernel does not count it.
    pub steal_ns: Option<u64>,
    /// Part of `busy_ns` that was spent in soft interrupts, in which the kernel does most of its
    /// network processing, in nanoseconds.
    pub softirq_ns: u64,
}

/// Returns the times of each core in the text of `/proc/stat`; `None` if there are none or one is
/// malformed.
pub fn parse(text: &str, tick_ns: u64) -> Option<Vec<Core>> {
    let stats = KernelStats::from_buf_read(text.as_bytes(), procfs::current_system_info()).ok()?;
    let cores = stats.cpu_time.iter().map(|times| core(times, tick_ns));
    let cores: Vec<Core> = cores.collect::<Option<_>>()?;
    (!cores.is_empty()).then_some(cores)
}

fn core(times: &CpuTime, tick_ns: u64) -> Option<Core> {
    let ns = |ticks: u64| ticks.saturating_mul(tick_ns);
    // The times of guests are contained in the user times.
    let interrupts = times.irq?.saturating_add(times.softirq?);
    let busy = [times.user, times.nice, times.system, interrupts];
    Some(Core {
        busy_ns: ns(busy.into_iter().fold(0, u64::saturating_add)),
        idle_ns: ns(times.idle.saturating_add(times.iowait?)),
        steal_ns: times.steal.map(ns),
        softirq_ns: ns(times.softirq?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of cores, and those without which the text is not that of a kernel.
    fn text(cores: &str) -> String {
        format!("cpu  100 20 30 4000 50 6 7 8 9 0\n{cores}ctxt 1\nbtime 2\nprocesses 3\n")
    }

    #[test]
    fn each_core_is_read_and_guests_count_once() {
        let lines = "cpu0 50 10 15 2000 25 3 4 4 9 0\ncpu3 1 2 3 4 5 6 7\n";
        let cores = parse(&text(lines), 10).unwrap();
        let first = Core {
            busy_ns: 820,
            idle_ns: 20_250,
            steal_ns: Some(40),
            softirq_ns: 40,
        };
        let second = Core {
            busy_ns: 190,
            idle_ns: 90,
            steal_ns: None,
            softirq_ns: 70,
        };
        assert_eq!(cores, [first, second]);
    }

    #[test]
    fn malformed_text_is_none() {
        for lines in ["", "cpu0 1 2 3 4 5 6\n", "cpu0 1 2 3 4 5 6 x\n"] {
            assert_eq!(parse(&text(lines), 10), None, "{lines}");
        }
        assert_eq!(parse("cpu0 1 2 3 4 5 6 7\n", 10), None);
    }
}
