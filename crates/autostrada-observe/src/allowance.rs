//! CPU time that may be spent on what is expensive to sample: a share of the time that passes.

use nix::time::ClockId;

/// What may be spent at once after a while without any expense.
const BALANCE_NS_MAX: i64 = 2_000_000;

/// An account of CPU time: it fills as time passes, and what is expensive waits until it is not empty.
///
/// Any expense may be made from an account that is not empty, also one that is larger than what is
/// on it: the next one then waits until that is made up for.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// Parts in ten thousand of a core.
    share: u16,
    balance_ns: i64,
    filled_ns: Option<u64>,
}

impl Allowance {
    /// Begins with a full account, which then gets so many parts in ten thousand of a core.
    #[must_use]
    pub fn new(share: u16) -> Self {
        Self {
            share,
            balance_ns: BALANCE_NS_MAX,
            filled_ns: None,
        }
    }

    /// Adds what may be spent since the last time this was said.
    pub fn fill(&mut self, now_ns: u64) {
        let passed_ns = now_ns.saturating_sub(self.filled_ns.unwrap_or(now_ns));
        self.filled_ns = Some(now_ns);
        let added_ns = passed_ns / 10_000 * u64::from(self.share);
        let balance_ns = self.balance_ns.saturating_add_unsigned(added_ns);
        self.balance_ns = balance_ns.min(BALANCE_NS_MAX);
    }

    /// Whether something may be spent.
    #[must_use]
    pub fn is_left(&self) -> bool {
        self.balance_ns > 0
    }

    /// Does something, and takes the CPU time of this thread for it off the account.
    pub fn pay_for<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before_ns = thread_cpu_ns();
        let result = work();
        self.spend(thread_cpu_ns().saturating_sub(before_ns));
        result
    }

    fn spend(&mut self, cost_ns: u64) {
        self.balance_ns = self.balance_ns.saturating_sub_unsigned(cost_ns);
    }
}

/// What this thread has cost so far: no instant, which would be an argument.
fn thread_cpu_ns() -> u64 {
    let used = ClockId::CLOCK_THREAD_CPUTIME_ID
        .now()
        .expect("Linux has this clock");
    std::time::Duration::from(used)
        .as_nanos()
        .try_into()
        .expect("a thread runs for less than 584 years")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn what_is_dear_is_paid_for_before_the_next_expense() {
        let mut allowance = Allowance::new(50);
        allowance.fill(7);
        assert!(allowance.is_left());
        allowance.spend(2_000_000 + 10_000_000);
        assert!(!allowance.is_left());
        // 0.5 % of a core: 10 ms are made up for in two seconds.
        allowance.fill(7 + 2 * SECOND_NS);
        assert!(!allowance.is_left());
        allowance.fill(7 + 2 * SECOND_NS + SECOND_NS / 10);
        assert!(allowance.is_left());
    }

    #[test]
    fn what_is_saved_is_bounded() {
        let mut allowance = Allowance::new(10_000);
        allowance.fill(0);
        allowance.fill(3_600 * SECOND_NS);
        allowance.spend(BALANCE_NS_MAX.unsigned_abs());
        assert!(!allowance.is_left());
    }

    #[test]
    fn time_that_goes_backwards_adds_nothing() {
        let mut allowance = Allowance::new(50);
        allowance.fill(SECOND_NS);
        allowance.spend(u64::MAX);
        allowance.fill(0);
        assert!(!allowance.is_left());
    }

    #[test]
    fn work_is_paid_for_with_the_time_that_it_took() {
        let mut allowance = Allowance::new(50);
        let mut rounds = 0_u64;
        while allowance.is_left() {
            rounds += allowance.pay_for(|| std::hint::black_box((0..100_000_u64).count() as u64));
        }
        assert!(rounds > 0);
    }
}
