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

    fn usage(first: u64) -> Usage {
        Usage {
            cpu_ns: first,
            user_ns: first + 1,
            system_ns: first + 2,
            switches_voluntary: first + 3,
            switches_forced: first + 4,
            faults_minor: first + 5,
            faults_major: first + 6,
        }
    }

    #[test]
    fn each_counter_is_added_to_itself() {
        let sum: Usage = [usage(10), usage(20)].into_iter().sum();
        assert_eq!((sum.cpu_ns, sum.user_ns, sum.system_ns), (30, 32, 34));
        assert_eq!((sum.switches_voluntary, sum.switches_forced), (36, 38));
        assert_eq!((sum.faults_minor, sum.faults_major), (40, 42));
    }

    #[test]
    fn the_larger_one_is_chosen_counter_by_counter() {
        let first = Usage {
            faults_minor: 100,
            ..usage(10)
        };
        let second = usage(20);
        let expected = Usage {
            faults_minor: 100,
            ..usage(20)
        };
        assert_eq!(first.max(second), expected);
    }
}
