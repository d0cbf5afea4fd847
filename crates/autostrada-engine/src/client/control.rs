//! How a load that is running can be changed from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use autostrada_measure::Nanos;
use autostrada_net::clock;

use super::interruption::Interruption;
use super::pace::Pace;
use super::slices::Slices;

/// The interval at which a thread checks whether all others are ready.
pub const CHECKED_EVERY_NS: Nanos = 2_000_000;

/// Time from the arrival of the last thread to the start: every thread checks several times within
/// it, so none starts late.
const START_DELAY_NS: Nanos = 5 * CHECKED_EVERY_NS;

/// How a load that is running can be changed from outside.
#[derive(Debug, Clone, Default)]
pub struct Control {
    /// Ends it before its time.
    pub interruption: Interruption,
    /// Changes the rate of an open loop.
    pub pace: Pace,
    /// When it begins, if its plan awaits that.
    pub start: StartInstant,
    /// Its slices; `None` if it has one window.
    pub slices: Option<Slices>,
}

/// The instant at which a load begins, once it is known; clones share it.
#[derive(Debug, Clone, Default)]
pub struct StartInstant(Arc<AtomicU64>);

impl StartInstant {
    /// Sets the instant, or the earliest possible one if that is later. Only the first call counts.
    pub fn set(&self, at: Nanos) {
        let at = at.max(clock::now() + START_DELAY_NS);
        let _ = (self.0).compare_exchange(0, at, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Returns the instant; `None` before it is set.
    pub fn get(&self) -> Option<Nanos> {
        Some(self.0.load(Ordering::Acquire)).filter(|at| *at > 0)
    }
}
