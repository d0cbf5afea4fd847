//! The arrivals of one share of a schedule, one by one, for an event loop.

use super::Schedule;
use super::line::{Line, NEVER, Walk};
use super::poisson::Poisson;
use super::ramp::Ramp;
use super::rate::Rate;
use super::share::Share;
use crate::Nanos;

/// A cursor over the messages of a share, in the order in which they are due.
///
/// It neither knows nor cares when they were sent: an event loop that is late asks again, and
/// finds those messages due that were due meanwhile.
#[derive(Debug, Clone)]
pub struct Arrivals {
    due: Nanos,
    connection: u64,
    connections: u64,
    taken: u64,
    spacing: Spacing,
}

#[derive(Debug, Clone)]
enum Spacing {
    Even(Walk),
    Ramp(Ramping),
    Poisson(Poisson),
}

/// A message of a ramp that is due before the ramp is over.
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
            taken: 0,
            spacing: Spacing::Even(Walk::never()),
        };
        if arrivals.connections == 0 {
            return arrivals;
        }
        match schedule {
            Schedule::Constant { rate } => {
                arrivals.hold(&Line::constant(rate), share.index(), share);
            }
            Schedule::Ramp { from, to, over_ns } => {
                let ramp = Ramp::new(from, to, over_ns);
                let number = share.index();
                if number < ramp.hold().first {
                    arrivals.due = ramp.due_within(number);
                    arrivals.spacing = Spacing::Ramp(Ramping {
                        ramp,
                        share,
                        number,
                    });
                } else {
                    arrivals.hold(ramp.hold(), number, share);
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

    /// When the next message is due, from the start of the schedule; `None` if never.
    #[inline]
    #[must_use]
    pub fn next_due(&self) -> Option<Nanos> {
        (self.due != NEVER).then_some(self.due)
    }

    /// For which of the share's connections it is due, from 0 to below `Share::connections`.
    ///
    /// Connection `c` of share `index` of `of` is connection `index + c × of` of all.
    #[inline]
    #[must_use]
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// How many messages the cursor has gone past: those that the share has offered.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Goes on to the next message. Where none is ever due, nothing changes.
    #[inline]
    pub fn advance(&mut self) {
        if self.due == NEVER {
            return;
        }
        self.taken += 1;
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
        let mut by = ramping.share.of();
        if self.connection == self.connections {
            self.connection = 0;
            by = ramping.share.jump();
        }
        ramping.number = ramping.number.saturating_add(by);
        if ramping.number < ramping.ramp.hold().first {
            self.due = ramping.ramp.due_within(ramping.number);
        } else {
            let over = ramping.clone();
            self.hold(over.ramp.hold(), over.number, over.share);
        }
    }

    /// Goes on along a line, from message `number` on.
    fn hold(&mut self, line: &Line, number: u64, share: Share) {
        let walk = line.walk(number, share.of(), share.jump());
        self.due = walk.due();
        self.spacing = Spacing::Even(walk);
    }
}
