//! A precise timer: the thread sleeps until shortly before an instant, and polls from then on.

use std::io;

use anyhow::Context;
use autostrada_measure::Nanos;
use autostrada_net::{Registry, Timer, Token};

/// Time before the instant at which the thread is woken, in nanoseconds; from then on it polls
/// without sleeping.
const NEAR_NS: Nanos = 100_000;

/// A timer that wakes its thread early, because threads wake late.
#[derive(Debug)]
pub struct Alarm {
    timer: Timer,
    /// The instant to which the timer was last set.
    set_to: Option<Nanos>,
    is_near: bool,
}

impl Alarm {
    /// Creates an alarm that is not set.
    pub fn new(registry: &Registry, token: Token) -> anyhow::Result<Self> {
        let timer = Timer::new().context("cannot make a timer")?;
        timer.register(registry, token)?;
        Ok(Self {
            timer,
            set_to: None,
            is_near: false,
        })
    }

    /// Sets the alarm to the instant `at`, which replaces an earlier one.
    ///
    /// With `None` the thread need not poll; a timer that was set may still wake it.
    pub fn set(&mut self, at: Option<Nanos>, now: Nanos) -> io::Result<()> {
        self.is_near = at.is_some_and(|at| at <= now + NEAR_NS);
        if let Some(at) = at.filter(|_| !self.is_near && self.set_to != at) {
            self.set_to = Some(at);
            self.timer.set(at - NEAR_NS)?;
        }
        Ok(())
    }

    /// Returns whether the instant is too near to sleep: the thread must poll until then.
    pub fn is_near(&self) -> bool {
        self.is_near
    }
}
