//! Poisson arrivals from a seed. They are the same on every machine, because no logarithm of a
//! library is used.

use super::rate::Rate;
use super::share::Share;
use crate::{Nanos, integer};

/// A Poisson process whose arrivals are assigned to connections at random.
///
/// The processes of different shares are independent, so their union is a Poisson process with the
/// sum of their rates. Random assignment to connections splits a process into independent ones.
#[derive(Debug, Clone)]
pub(super) struct Poisson {
    random: Random,
    mean_ns: f64,
    connections: u64,
    due: Nanos,
    /// Fraction of a nanosecond after `due`. It is carried over, because truncation would make the
    /// rate too high.
    fraction: f64,
}

impl Poisson {
    /// Creates the process of one share, before its first arrival.
    pub fn new(rate: Rate, seed: u64, share: Share) -> Self {
        let connections = share.connections();
        // The mean is exact to 10^-15; the relative deviation of 10^10 arrivals is 10^-5.
        let share_of_rate = connections as f64 / share.connections as f64;
        Self {
            random: Random::new([seed, share.index, share.of, share.connections]),
            mean_ns: 1.0 / (rate.per_nanosecond() * share_of_rate),
            connections,
            due: 0,
            fraction: 0.0,
        }
    }

    /// Draws the next arrival: the instant at which it is due, and its connection.
    #[inline]
    pub fn draw(&mut self) -> (Nanos, u64) {
        let gap = self.random.exponential() * self.mean_ns + self.fraction;
        let whole = gap.floor();
        self.fraction = gap - whole;
        self.due = self.due.saturating_add(integer(whole));
        (self.due, self.random.below(self.connections))
    }
}

/// `SplitMix64`: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014; constants as in S. Vigna's `splitmix64.c`.
#[derive(Debug, Clone)]
struct Random {
    state: u64,
}

impl Random {
    /// Seeds the generator with all `words`, so that streams that differ in one word are unrelated.
    fn new(words: [u64; 4]) -> Self {
        let state = words.into_iter().fold(0, |state, word| {
            let mut random = Self {
                state: state ^ word,
            };
            random.next()
        });
        Self { state }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number less than `bound`, by multiplication; the bias is less than `bound` / 2^64.
    #[inline]
    fn below(&mut self, bound: u64) -> u64 {
        if bound == 1 {
            return 0;
        }
        let product = u128::from(self.next()) * u128::from(bound);
        u64::try_from(product >> 64).expect("the upper half of 128 bits")
    }

    /// Draws a number from the exponential distribution of mean 1, using only comparisons.
    ///
    /// J. von Neumann, "Various techniques used in connection with random digits", 1951: begin
    /// with x and draw while each number is smaller than the one before; the length of such a run
    /// is odd with probability exp(−x). After a run of even length, begin again and add 1.
    #[inline]
    fn exponential(&mut self) -> f64 {
        let mut whole = 0.0;
        loop {
            let first = self.next();
            let mut smallest = first;
            let mut is_odd = true;
            loop {
                let drawn = self.next();
                if drawn >= smallest {
                    break;
                }
                smallest = drawn;
                is_odd = !is_odd;
            }
            if is_odd {
                return whole + unit(first);
            }
            whole += 1.0;
        }
    }
}

/// Converts the upper 53 bits to a number from 0 to less than 1.
#[inline]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}
