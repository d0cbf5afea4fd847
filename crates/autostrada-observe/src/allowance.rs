//! Rate limiting of expensive reads, by their CPU time.

use nix::time::ClockId;

/// Maximum balance of an account, in nanoseconds of CPU time.
const BALANCE_NS_MAX: i64 = 2_000_000;

/// An account of CPU time (a token bucket), which fills as time passes.
///
/// An expensive read is permitted while the balance is positive. It may cost more than the balance;
/// the next one then waits until the balance is positive again.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// Permitted CPU time, in ten-thousandths of a core.
    share: u16,
    balance_ns: i64,
    filled_ns: Option<u64>,
}

impl Allowance {
    /// Creates a full account that fills with `share` ten-thousandths of a core.
    pub fn new(share: u16) -> Self {
        Self {
            share,
            balance_ns: BALANCE_NS_MAX,
            filled_ns: None,
        }
    }

    /// Adds the CPU time that was earned since the last call; `now_ns` is the current instant.
    pub fn refill(&mut self, now_ns: u64) {
        let passed_ns = now_ns.saturating_sub(self.filled_ns.unwrap_or(now_ns));
        self.filled_ns = Some(now_ns);
        let added_ns = passed_ns / 10_000 * u64::from(self.share);
        let balance_ns = self.balance_ns.saturating_add_unsigned(added_ns);
        self.balance_ns = balance_ns.min(BALANCE_NS_MAX);
    }

    /// Returns whether an expensive read is permitted.
    pub fn has_balance(&self) -> bool {
        self.balance_ns > 0
    }

    /// Does `work`, and deducts the CPU time that this thread used for it.
    pub fn charge<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before_ns = thread_cpu_ns();
        let result = work();
        self.deduct(thread_cpu_ns().saturating_sub(before_ns));
        result
    }

    fn deduct(&mut self, cost_ns: u64) {
        self.balance_ns = self.balance_ns.saturating_sub_unsigned(cost_ns);
    }
}

/// Returns the CPU time of this thread so far, in nanoseconds.
fn thread_cpu_ns() -> u64 {
    cpu_ns(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has this clock")
}

/// Returns the CPU time by a clock, in nanoseconds.
pub fn cpu_ns(clock: ClockId) -> nix::Result<u64> {
    let used = std::time::Duration::from(clock.now()?).as_nanos();
    Ok(u64::try_from(used).expect("a process runs for less than 584 years"))
}

#[cfg(test)]
#[path = "tests/allowance.rs"]
mod tests;
