//! Rate of minimal system calls of one thread.

use std::hint::black_box;
use std::os::unix::process::parent_id;

use autostrada_net::clock;

use super::rates::{ROUND_NS, ROUNDS, Rates, per_s};

/// Number of calls between two readings of the clock.
const CALLS: u64 = 1_000;

/// Measures how many minimal system calls (`getppid(2)`) one thread makes per second.
pub fn per_s_of_one_thread() -> Rates {
    Rates::of([(); ROUNDS].map(|()| {
        let begun = clock::now();
        let mut calls = 0;
        loop {
            for _ in 0..CALLS {
                black_box(parent_id());
            }
            calls += CALLS;
            let passed_ns = clock::now() - begun;
            if passed_ns >= ROUND_NS {
                return per_s(calls, passed_ns);
            }
        }
    }))
}
