//! The instants of a schedule whose rate was changed while it is carried out.

use autostrada_measure::{Nanos, integer};

/// A mapping from planned to actual instants, both since the start of the schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Planned instant from which the factor holds.
    planned_ns: Nanos,
    /// Actual instant of it.
    actual_ns: Nanos,
    /// How much faster than planned the schedule is carried out; 0 in a pause.
    factor: f64,
}

impl Stretch {
    /// The mapping of a schedule that is carried out as planned.
    pub const NONE: Self = Self {
        planned_ns: 0,
        actual_ns: 0,
        factor: 1.0,
    };

    /// Returns when a message is due that was planned for an instant; `None` in a pause. A message
    /// planned for before the last change is due at the change, if not before.
    #[inline]
    pub fn actual(&self, planned_ns: Nanos) -> Option<Nanos> {
        if *self == Self::NONE {
            return Some(planned_ns);
        }
        if planned_ns <= self.planned_ns {
            return Some(self.actual_ns);
        }
        if self.factor == 0.0 {
            return None;
        }
        let after_ns = (planned_ns - self.planned_ns) as f64 / self.factor;
        Some(self.actual_ns.saturating_add(integer(after_ns)))
    }

    /// Returns the mapping with another factor from an actual instant on, which is not before the
    /// last change.
    pub fn changed(&self, factor: f64, actual_ns: Nanos) -> Self {
        let after_ns = actual_ns.saturating_sub(self.actual_ns) as f64 * self.factor;
        Self {
            planned_ns: self.planned_ns + integer(after_ns),
            actual_ns,
            factor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_holds_from_its_change_on() {
        let twice = Stretch::NONE.changed(2.0, 100);
        assert_eq!(Stretch::NONE.actual(150), Some(150));
        assert_eq!(twice.actual(150), Some(125));
        assert_eq!(twice.actual(90), Some(100));
        let half = twice.changed(0.5, 200);
        assert_eq!(half.actual(300), Some(200));
        assert_eq!(half.actual(350), Some(300));
    }

    #[test]
    fn nothing_is_due_in_a_pause_and_nothing_is_lost_after_it() {
        let pause = Stretch::NONE.changed(0.0, 100);
        assert_eq!(pause.actual(90), Some(100));
        assert_eq!(pause.actual(101), None);
        let resumed = pause.changed(1.0, 500);
        assert_eq!(resumed.actual(101), Some(501));
    }
}
