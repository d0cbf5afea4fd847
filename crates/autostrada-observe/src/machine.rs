//! What all cores of the machine have done so far, as `/proc/stat` counts it.

use std::fmt;
use std::path::Path;

/// How long all cores together were what, in ticks, since the machine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTimes {
    /// At work for any process, or for the kernel.
    pub busy_ticks: u64,
    /// Waiting for work, or for a disk.
    pub idle_ticks: u64,
    /// Ready to work while the hypervisor gave the core to others; `None` where the kernel does not count it.
    pub steal_ticks: Option<u64>,
    /// How many cores are in use.
    pub cores: usize,
}

/// Why it is not known.
#[derive(Debug)]
pub struct CpuTimesError(String);

impl fmt::Display for CpuTimesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read the times of the cores: {}", self.0)
    }
}

impl std::error::Error for CpuTimesError {}

impl CpuTimes {
    /// Asks the kernel.
    ///
    /// # Errors
    ///
    /// When it does not tell.
    pub fn read() -> Result<Self, CpuTimesError> {
        Self::read_from(Path::new("/proc/stat"))
    }

    fn read_from(path: &Path) -> Result<Self, CpuTimesError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| CpuTimesError(format!("{}: {error}", path.display())))?;
        Self::parse(&text)
            .ok_or_else(|| CpuTimesError(format!("{} has no line of all cores", path.display())))
    }

    /// Reads the first line, which is of all cores together, and counts those after it.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut words = lines.next()?.split_ascii_whitespace();
        if words.next()? != "cpu" {
            return None;
        }
        let ticks = words
            .map(|word| word.parse().ok())
            .collect::<Option<Vec<u64>>>()?;
        // The time of guests, which follows, is contained in that of users.
        let [user, nice, system, idle, ref rest @ ..] = ticks[..] else {
            return None;
        };
        let later = |index: usize| rest.get(index).copied();
        let (disk, interrupt, soft_interrupt) = (later(0), later(1), later(2));
        Some(Self {
            busy_ticks: user + nice + system + interrupt.unwrap_or(0) + soft_interrupt.unwrap_or(0),
            idle_ticks: idle + disk.unwrap_or(0),
            steal_ticks: later(3),
            cores: lines.take_while(|line| line.starts_with("cpu")).count(),
        })
    }

    /// How long one tick is, in nanoseconds.
    #[must_use]
    pub fn tick_ns() -> u64 {
        1_000_000_000 / procfs::ticks_per_second().max(1)
    }

    /// What has passed since an earlier reading. No count falls, but for a kernel's rounding.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let steal = |(now, then): (u64, u64)| now.saturating_sub(then);
        Self {
            busy_ticks: self.busy_ticks.saturating_sub(earlier.busy_ticks),
            idle_ticks: self.idle_ticks.saturating_sub(earlier.idle_ticks),
            steal_ticks: self.steal_ticks.zip(earlier.steal_ticks).map(steal),
            cores: self.cores,
        }
    }

    /// All of it.
    #[must_use]
    pub fn ticks(self) -> u64 {
        self.busy_ticks + self.idle_ticks + self.steal_ticks.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cpu  100 20 30 4000 50 6 7 8 9 0\n\
                        cpu0 50 10 15 2000 25 3 4 4 9 0\n\
                        cpu1 50 10 15 2000 25 3 3 4 0 0\n\
                        intr 12345 0 0\nctxt 1\n";

    #[test]
    fn the_first_line_is_of_all_cores_and_guests_count_once() {
        let times = CpuTimes::parse(TEXT).unwrap();
        assert_eq!(times.busy_ticks, 100 + 20 + 30 + 6 + 7);
        assert_eq!(times.idle_ticks, 4000 + 50);
        assert_eq!((times.steal_ticks, times.cores), (Some(8), 2));
        assert_eq!(times.ticks(), 163 + 4050 + 8);
    }

    #[test]
    fn a_kernel_without_a_column_of_steal_tells_none() {
        let times = CpuTimes::parse("cpu 1 2 3 4 5 6 7\n").unwrap();
        assert_eq!((times.busy_ticks, times.idle_ticks), (19, 9));
        assert_eq!((times.steal_ticks, times.cores), (None, 0));
        let old = CpuTimes::parse("cpu 1 2 3 4\n").unwrap();
        assert_eq!((old.busy_ticks, old.idle_ticks), (6, 4));
    }

    #[test]
    fn what_is_something_else_is_not_read() {
        for text in ["", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4", "cpu 1 2 3 x"] {
            assert_eq!(CpuTimes::parse(text), None, "{text}");
        }
        let error = CpuTimes::read_from(Path::new("/proc/none")).unwrap_err();
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }

    #[test]
    fn a_difference_is_of_each_count_and_never_below_zero() {
        let first = CpuTimes::parse("cpu 10 0 0 100 0 0 0 5\n").unwrap();
        let second = CpuTimes::parse("cpu 30 0 0 90 0 0 0 6\n").unwrap();
        let between = second.since(first);
        assert_eq!((between.busy_ticks, between.idle_ticks), (20, 0));
        assert_eq!(between.steal_ticks, Some(1));
    }

    #[test]
    fn this_machine_tells() {
        let times = CpuTimes::read().unwrap();
        assert!(times.busy_ticks > 0 && times.cores > 0);
        assert!(CpuTimes::tick_ns() > 0);
    }
}
