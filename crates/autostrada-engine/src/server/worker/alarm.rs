//! What wakes a thread for what it has to do at an instant, and not sooner.

use std::io;

use anyhow::Context;
use autostrada_measure::Nanos;
use autostrada_net::{Registry, Timer, Token};

/// A sleeping thread is woken so much before; from then on it asks again and again.
const NEAR_NS: Nanos = 100_000;

/// A timer that wakes a little too soon, as threads wake late.
#[derive(Debug)]
pub struct Alarm {
    timer: Timer,
    /// What it was last set to.
    set_to: Option<Nanos>,
    is_near: bool,
}

impl Alarm {
    /// Makes one that is not set.
    ///
    /// # Errors
    ///
    /// When there is no descriptor left.
    pub fn new(registry: &Registry, token: Token) -> anyhow::Result<Self> {
        let timer = Timer::new().context("cannot make a timer")?;
        timer.register(registry, token)?;
        Ok(Self {
            timer,
            set_to: None,
            is_near: false,
        })
    }

    /// Sets it to an instant, in place of any earlier one.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn set(&mut self, at: Option<Nanos>, now: Nanos) -> io::Result<()> {
        self.is_near = at.is_some_and(|at| at <= now + NEAR_NS);
        if let Some(at) = at.filter(|_| !self.is_near && self.set_to != at) {
            self.set_to = Some(at);
            self.timer.set(at - NEAR_NS)?;
        }
        Ok(())
    }

    /// Whether the instant is too near to sleep until then.
    pub fn is_near(&self) -> bool {
        self.is_near
    }
}
