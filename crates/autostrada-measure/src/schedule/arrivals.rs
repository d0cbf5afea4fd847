//! A cursor over the arrivals of one share of a schedule, for an event loop.

use super::Schedule;
use super::line::{Line, NEVER, Walk};
use super::poisson::Poisson;
use super::ramp::Ramp;
use super::rate::Rate;
use super::share::Share;
use crate::Nanos;

/// A cursor over the messages of a share, in the order in which they are due.
///
/// The instants do not depend on when messages are sent: an event loop that is late finds all
/// messages that have become due in the meantime.
#[derive(Debug, Clone)]
pub struct Arrivals {
    due: Nanos,
    connection: u64,
    connections: u64,
    spacing: Spacing,
}

#[derive(Debug, Clone)]
enum Spacing {
    Even(Walk),
    Ramp(Ramping),
    Poisson(Poisson),
}

/// The position within a ramp, before the ramp is over.
#[derive(Debug, Clone)]
struct Ramping {
    ramp: Ramp,
    share: Share,
    number: u64,
}

impl Arrivals {
    pub(super) fn new(schedule: Schedule, share: Share) -> Self {
        let mut arrivals = Self {
            due: NEVER,
            connection: 0,
            connections: share.connections(),
            spacing: Spacing::Even(Walk::never()),
        };
        if arrivals.connections == 0 {
            return arrivals;
        }
        match schedule {
            Schedule::Constant { rate } => {
                arrivals.hold(&Line::constant(rate), share.index, share);
            }
            Schedule::Ramp { from, to, over_ns } => {
                let ramp = Ramp::new(from, to, over_ns);
                let number = share.index;
                if number < ramp.hold.first {
                    arrivals.due = ramp.due_within(number);
                    arrivals.spacing = Spacing::Ramp(Ramping {
                        ramp,
                        share,
                        number,
                    });
                } else {
                    arrivals.hold(&ramp.hold, number, share);
                }
            }
            Schedule::Poisson { rate, seed } if rate != Rate::ZERO => {
                let mut poisson = Poisson::new(rate, seed, share);
                (arrivals.due, arrivals.connection) = poisson.draw();
                arrivals.spacing = Spacing::Poisson(poisson);
            }
            Schedule::Poisson { .. } => {}
        }
        arrivals
    }

    /// Returns when the next message is due, in nanoseconds from the start of the schedule; `None`
    /// if no further message is due.
    #[inline]
    pub fn next_due(&self) -> Option<Nanos> {
        (self.due != NEVER).then_some(self.due)
    }

    /// Returns the index of the next message's connection within the share, less than
    /// `Share::connections`.
    ///
    /// [`Share::of_all`] converts it to the index among all connections.
    #[inline]
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Advances to the next message; does nothing if no further message is due.
    #[inline]
    pub fn advance(&mut self) {
        if self.due == NEVER {
            return;
        }
        match &mut self.spacing {
            Spacing::Even(walk) => {
                self.connection += 1;
                let is_jump = self.connection == self.connections;
                if is_jump {
                    self.connection = 0;
                }
                walk.advance(is_jump);
                self.due = walk.due();
            }
            Spacing::Poisson(poisson) => (self.due, self.connection) = poisson.draw(),
            Spacing::Ramp(_) => self.advance_ramp(),
        }
    }

    fn advance_ramp(&mut self) {
        let Spacing::Ramp(ramping) = &mut self.spacing else {
            return;
        };
        self.connection += 1;
        let mut by = ramping.share.of;
        if self.connection == self.connections {
            self.connection = 0;
            by = ramping.share.jump();
        }
        ramping.number = ramping.number.saturating_add(by);
        if ramping.number < ramping.ramp.hold.first {
            self.due = ramping.ramp.due_within(ramping.number);
        } else {
            let over = ramping.clone();
            self.hold(&over.ramp.hold, over.number, over.share);
        }
    }

    /// Continues along a line, from message `number` on.
    fn hold(&mut self, line: &Line, number: u64, share: Share) {
        let walk = line.walk(number, share.of, share.jump());
        self.due = walk.due();
        self.spacing = Spacing::Even(walk);
    }
}
