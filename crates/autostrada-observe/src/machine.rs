//! The times of all cores of the machine together.

use std::fmt;
use std::path::Path;

use crate::cores::{self, Core};
use crate::stat::tick_ns;

/// Times of all cores together since the machine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTimes {
    /// Time in which the cores ran processes or the kernel, in nanoseconds.
    pub busy_ns: u64,
    /// Time in which the cores were idle or waited for a disk, in nanoseconds.
    pub idle_ns: u64,
    /// Time in which the hypervisor gave the cores to others although they had work, in
    /// nanoseconds; `None` if the kernel does not count it.
    pub steal_ns: Option<u64>,
    /// Number of cores that are online.
    pub cores: usize,
}

/// The reason why the times of the cores cannot be read.
#[derive(Debug)]
pub struct CpuTimesError(String);

impl fmt::Display for CpuTimesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read the times of the cores: {}", self.0)
    }
}

impl std::error::Error for CpuTimesError {}

impl CpuTimes {
    /// Reads the times from `/proc/stat`.
    /// Returns an error if the file cannot be read or has no lines of cores.
    pub fn read() -> Result<Self, CpuTimesError> {
        Self::read_from(Path::new("/proc/stat"))
    }

    fn read_from(path: &Path) -> Result<Self, CpuTimesError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| CpuTimesError(format!("{}: {error}", path.display())))?;
        let cores = cores::parse(&text, tick_ns())
            .ok_or_else(|| CpuTimesError(format!("{} has no line of a core", path.display())))?;
        Ok(Self::sum(&cores))
    }

    fn sum(cores: &[Core]) -> Self {
        Self {
            busy_ns: cores.iter().map(|core| core.busy_ns).sum(),
            idle_ns: cores.iter().map(|core| core.idle_ns).sum(),
            steal_ns: cores.iter().map(|core| core.steal_ns).sum(),
            cores: cores.len(),
        }
    }

    /// Returns the difference from an earlier reading. A time that decreased, which happens by the
    /// kernel's rounding, counts as 0.
    pub fn since(self, earlier: Self) -> Self {
        let steal = |(now, then): (u64, u64)| now.saturating_sub(then);
        Self {
            busy_ns: self.busy_ns.saturating_sub(earlier.busy_ns),
            idle_ns: self.idle_ns.saturating_sub(earlier.idle_ns),
            steal_ns: self.steal_ns.zip(earlier.steal_ns).map(steal),
            cores: self.cores,
        }
    }

    /// Returns the sum of busy, idle and steal time, in nanoseconds.
    pub fn all_ns(self) -> u64 {
        self.busy_ns + self.idle_ns + self.steal_ns.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(busy_ns: u64, idle_ns: u64, steal_ns: Option<u64>) -> Core {
        Core {
            busy_ns,
            idle_ns,
            steal_ns,
            softirq_ns: 0,
        }
    }

    #[test]
    fn all_cores_are_added_and_what_one_does_not_count_is_unknown() {
        let times = CpuTimes::sum(&[core(1, 10, Some(3)), core(2, 20, Some(4))]);
        assert_eq!((times.busy_ns, times.idle_ns), (3, 30));
        assert_eq!((times.steal_ns, times.cores), (Some(7), 2));
        assert_eq!(times.all_ns(), 40);
        let times = CpuTimes::sum(&[core(1, 10, None), core(2, 20, Some(4))]);
        assert_eq!((times.steal_ns, times.all_ns()), (None, 33));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = CpuTimes::read_from(Path::new("/proc/none")).unwrap_err();
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }

    #[test]
    fn a_difference_is_of_each_count_and_never_below_zero() {
        let first = CpuTimes::sum(&[core(10, 100, Some(5))]);
        let second = CpuTimes::sum(&[core(30, 90, Some(6))]);
        let between = second.since(first);
        assert_eq!((between.busy_ns, between.idle_ns), (20, 0));
        assert_eq!(between.steal_ns, Some(1));
    }

    #[test]
    fn the_times_of_this_machine_are_read() {
        let times = CpuTimes::read().unwrap();
        assert!(times.busy_ns > 0 && times.cores > 0);
        assert!(tick_ns() > 0);
    }
}
