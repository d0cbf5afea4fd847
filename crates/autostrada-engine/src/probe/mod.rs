//! The limits of this machine, measured in less than three seconds.

mod loopback;
mod rates;
mod system_calls;
mod timer;

use autostrada_measure::{Histogram, Nanos};
use autostrada_net::{clock, limits};
use autostrada_observe::{Core, Host};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use rates::Rates;

/// The limits of this machine, and the share of its CPU time that other programs used while they
/// were measured.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Machine {
    /// Loopback throughput, in bytes per second: from one thread to another over one TCP connection
    /// on 127.0.0.1, in writes of 256 KiB.
    loopback_bytes_per_s: Rates,
    /// Rate of minimal system calls (`getppid(2)`) of one thread, in calls per second.
    system_calls_per_s: Rates,
    /// Timer lateness, in nanoseconds: time from when a sleep of 1 ms was due to end until the
    /// thread woke. There are up to 1000 sleeps; no further one starts after 1.5 s.
    #[serde(serialize_with = "as_buckets")]
    #[schemars(with = "Vec<(Nanos, u64)>")]
    timer_lateness_ns: Histogram,
    #[serde(flatten)]
    shares: Shares,
    /// Number of online cores of the machine; if the kernel does not report it, the number of cores
    /// that the engine may use.
    cores: usize,
}

/// Shares of the time of all cores that were not available to the engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
struct Shares {
    /// Share of the time of all cores that the hypervisor gave to other machines (steal), 0 to 1;
    /// null if the kernel does not report it.
    steal_share: Option<f64>,
    /// Share of the time of all cores that other processes used, 0 to 1: the kernel's busy time
    /// without the engine's own CPU time. Null if the kernel does not report it.
    other_utilization: Option<f64>,
}

/// Measures all limits, one after another.
pub fn run() -> anyhow::Result<Machine> {
    let host = Host::default();
    let (first, own) = (host.sample(), clock::process_cpu());
    let loopback_bytes_per_s = loopback::bytes_per_s()?;
    let system_calls_per_s = system_calls::per_s_of_one_thread();
    let timer_lateness_ns = timer::lateness_ns()?;
    let own_ns = clock::process_cpu() - own;
    let last = host.sample();
    let missing = first.missing.get("cores").or(last.missing.get("cores"));
    if let Some(reason) = missing {
        crate::log(&format!("cannot read the times of the cores: {reason}"));
    }
    Ok(Machine {
        loopback_bytes_per_s,
        system_calls_per_s,
        timer_lateness_ns,
        shares: Shares::between(&first.cores, &last.cores, own_ns),
        cores: match last.cores.len() {
            0 => limits::cores(),
            cores => cores,
        },
    })
}

impl Shares {
    /// Returns the shares of the time between two readings of all cores, in which the engine itself
    /// used `own_ns` of CPU time. A time that decreased, by the kernel's rounding, counts as 0.
    fn between(first: &[Core], last: &[Core], own_ns: Nanos) -> Self {
        let passed_ns = |time: fn(&Core) -> Option<Nanos>| -> Option<Nanos> {
            let sum = |cores: &[Core]| cores.iter().map(time).sum::<Option<Nanos>>();
            Some(sum(last)?.saturating_sub(sum(first)?))
        };
        let steal_ns = passed_ns(|core| core.steal_ns);
        let busy_ns = passed_ns(|core| Some(core.busy_ns)).unwrap_or(0);
        let idle_ns = passed_ns(|core| Some(core.idle_ns)).unwrap_or(0);
        let all_ns = busy_ns + idle_ns + steal_ns.unwrap_or(0);
        if first.is_empty() || all_ns == 0 {
            return Self::default();
        }
        let all_ns = all_ns as f64;
        // The kernel samples busy time at each tick, but the engine's own time is exact: the
        // difference may be negative.
        let other_ns = busy_ns.saturating_sub(own_ns) as f64;
        Self {
            steal_share: steal_ns.map(|steal_ns| steal_ns as f64 / all_ns),
            other_utilization: Some(other_ns / all_ns),
        }
    }
}

fn as_buckets<S: Serializer>(histogram: &Histogram, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(histogram.buckets())
}

#[cfg(test)]
#[path = "tests/probe.rs"]
mod tests;
