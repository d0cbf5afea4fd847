//! Counters of processes since they started.

/// Counters of one process, or of several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time, user and system, ended threads included, in nanoseconds.
    pub cpu_ns: u64,
    /// User CPU time, in nanoseconds with the resolution of a tick.
    pub user_ns: u64,
    /// System CPU time, in nanoseconds with the resolution of a tick.
    pub system_ns: u64,
    /// Number of voluntary context switches: a thread waited for something.
    pub switches_voluntary: u64,
    /// Number of involuntary context switches: the core was given to another thread.
    pub switches_forced: u64,
    /// Number of page faults without disk access.
    pub faults_minor: u64,
    /// Number of page faults with disk access.
    pub faults_major: u64,
}

impl Usage {
    /// Returns the sum of both.
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    /// Returns the larger value of each counter.
    pub fn max(self, other: Self) -> Self {
        self.zip(other, u64::max)
    }

    fn zip(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            cpu_ns: combine(self.cpu_ns, other.cpu_ns),
            user_ns: combine(self.user_ns, other.user_ns),
            system_ns: combine(self.system_ns, other.system_ns),
            switches_voluntary: combine(self.switches_voluntary, other.switches_voluntary),
            switches_forced: combine(self.switches_forced, other.switches_forced),
            faults_minor: combine(self.faults_minor, other.faults_minor),
            faults_major: combine(self.faults_major, other.faults_major),
        }
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(usages: I) -> Self {
        usages.fold(Self::default(), Self::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(values: [u64; 7]) -> Usage {
        let [
            cpu_ns,
            user_ns,
            system_ns,
            switches_voluntary,
            switches_forced,
            minor,
            major,
        ] = values;
        Usage {
            cpu_ns,
            user_ns,
            system_ns,
            switches_voluntary,
            switches_forced,
            faults_minor: minor,
            faults_major: major,
        }
    }

    #[test]
    fn each_counter_is_combined_with_itself() {
        let first = usage([1, 2, 3, 4, 5, 6, 7]);
        let second = usage([10, 0, 10, 0, 10, 0, 10]);
        let sum: Usage = [first, second].into_iter().sum();
        assert_eq!(sum, usage([11, 2, 13, 4, 15, 6, 17]));
        assert_eq!(first.max(second), usage([10, 2, 10, 4, 10, 6, 10]));
    }
}
