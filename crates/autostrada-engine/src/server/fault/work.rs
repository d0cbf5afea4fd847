//! Work of known size: CPU time of the thread that performs it.

use autostrada_measure::Nanos;
use autostrada_net::clock;

/// Number of steps of the computation between two readings of the clock.
const STEPS: u32 = 256;

/// A computation that ends when the thread has used a fixed CPU time.
#[derive(Debug)]
pub struct Work {
    cpu_ns: Nanos,
    /// The intermediate result: a xorshift generator, which is never 0.
    state: u64,
}

impl Work {
    /// Creates work of `us` microseconds of CPU time.
    pub fn new(us: u64) -> Self {
        Self {
            cpu_ns: us.saturating_mul(1_000),
            state: 1,
        }
    }

    /// Computes until this thread has used the CPU time.
    pub fn perform(&mut self) {
        let until = clock::thread_cpu().saturating_add(self.cpu_ns);
        while clock::thread_cpu() < until {
            for _ in 0..STEPS {
                self.state ^= self.state << 13;
                self.state ^= self.state >> 7;
                self.state ^= self.state << 17;
            }
            // The computation must not be optimised away.
            self.state = std::hint::black_box(self.state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_uses_at_least_the_cpu_time_each_time() {
        let mut work = Work::new(300);
        for _ in 0..3 {
            let before = clock::thread_cpu();
            work.perform();
            assert!(clock::thread_cpu() - before >= 300_000);
        }
    }
}
