//! The part of a load that one of several engines has.

use autostrada_measure::Share;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// The maximum number of engines; a larger number is a typing error.
const PARTS_MAX: u64 = 65_536;

/// The part of a load that an engine has if several of them divide it, on one host or on many.
///
/// `connections` and the schedule of the plan are those of all engines. Each engine has the
/// connections that as many threads of a single engine would have, and their messages, so that all
/// parts together are the whole load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartPlan {
    /// Number of the engine, from 0.
    index: u64,
    /// Number of engines.
    #[schemars(range(min = 1, max = PARTS_MAX))]
    of: u64,
}

impl Default for PartPlan {
    fn default() -> Self {
        Self { index: 0, of: 1 }
    }
}

impl PartPlan {
    /// Whether the engine has the whole load.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Checks that the engine is one of those that divide the connections, and has one of them.
    /// Returns an error if its number is not below the number of engines, or if these are more than
    /// there are connections.
    pub fn check(self, connections: usize) -> Result<(), PlanError> {
        if self.of > PARTS_MAX.min(connections as u64) {
            return Err(PlanError::new(format!(
                "part: of is {}: there are {connections} connections to divide, and at most \
                 {PARTS_MAX} engines",
                self.of
            )));
        }
        if self.index < self.of {
            return Ok(());
        }
        Err(PlanError::new(format!(
            "part: index {} must be below of, which is {}",
            self.index, self.of
        )))
    }

    /// Returns the shares of the engine's threads.
    pub fn shares(self, threads: usize, connections: usize) -> Shares {
        Shares {
            index: self.index,
            of: self.of,
            threads: threads as u64,
            connections: connections as u64,
        }
    }
}

/// The shares of an engine's threads in the connections of all engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    index: u64,
    of: u64,
    threads: u64,
    connections: u64,
}

impl Shares {
    /// Returns the share of one thread.
    /// Panics if the thread is none of the engine's.
    pub fn of_thread(self, thread: usize) -> Share {
        // Engine by engine, so that each has a connection before one has two.
        Share::new(
            thread as u64 * self.of + self.index,
            self.of * self.threads,
            self.connections,
        )
    }

    /// Returns the number of connections of the engine.
    pub fn connections(self) -> u64 {
        self.all().map(Share::connections).sum()
    }

    /// Returns how many of the first messages of the schedule belong to the engine.
    pub fn messages(self, all: u64) -> u64 {
        self.all().map(|share| share.messages(all)).sum()
    }

    fn all(self) -> impl Iterator<Item = Share> {
        let threads = usize::try_from(self.threads).unwrap_or(usize::MAX);
        (0..threads).map(move |thread| self.of_thread(thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_together_are_the_whole() {
        for (of, threads, connections, messages) in [
            (1, 1, 1, 0),
            (2, 3, 10, 1_001),
            (8, 1, 100, 17),
            (3, 2, 4, 9),
        ] {
            let parts = (0..of).map(|index| PartPlan { index, of }.shares(threads, connections));
            let parts: Vec<_> = parts.collect();
            let sum = |count: &dyn Fn(&Shares) -> u64| parts.iter().map(count).sum::<u64>();
            assert!(parts.iter().all(|part| part.connections() > 0));
            assert_eq!(sum(&|part| part.connections()), connections as u64);
            assert_eq!(sum(&|part| part.messages(messages)), messages);
        }
    }

    #[test]
    fn an_engine_that_is_none_of_them_is_refused() {
        let check = |index, of| {
            PartPlan { index, of }
                .check(2)
                .map_err(|error| error.to_string())
        };
        assert!(check(1, 2).is_ok());
        assert!(check(2, 2).unwrap_err().contains("below of"));
        assert!(check(0, 3).unwrap_err().contains("2 connections to divide"));
        assert!(check(0, 0).is_err());
    }
}
