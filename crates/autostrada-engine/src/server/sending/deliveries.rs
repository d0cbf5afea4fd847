//! Messages that are made one by one, in the outbox of a connection or past it.

use autostrada_measure::{Nanos, Stopwatch};
use autostrada_net::clock;

use super::outbox::Outbox;
use super::send_accounting::{Count, SendAccounting};
use crate::server::measurement::{Measurement, Traffic};

/// What one connection was sent so far, and what is left of it in its outbox.
#[derive(Debug)]
pub struct Deliveries {
    /// Where messages end in the outbox.
    pub accounting: SendAccounting,
    /// Messages that are still to be made.
    pub left: u64,
    /// Whether others than these may follow: a feed goes on.
    pub is_feed_on: bool,
    measured: Option<Box<Measured>>,
}

/// Kept only where a result is wanted.
#[derive(Debug)]
struct Measured {
    measurement: Measurement,
    write_calls: u64,
    last_sent_ns: Nanos,
    blocked: Stopwatch,
}

impl Deliveries {
    /// Plans so many messages, of which none is made yet.
    pub fn new(outbox: &Outbox, left: u64, measurement: Option<Measurement>) -> Self {
        let measured = measurement.map(|measurement| {
            Box::new(Measured {
                measurement,
                write_calls: 0,
                last_sent_ns: 0,
                blocked: Stopwatch::default(),
            })
        });
        Self {
            accounting: SendAccounting::new(outbox.appended_total()),
            left,
            is_feed_on: false,
            measured,
        }
    }

    /// Takes note of a call that has handed something to the kernel.
    pub fn note_write(&mut self, outbox: &Outbox) {
        self.accounting.settle(outbox.taken_total());
        if let Some(measured) = &mut self.measured {
            measured.write_calls += 1;
            measured.last_sent_ns = clock::now();
        }
    }

    /// Takes note that the socket has no room.
    pub fn block(&mut self) {
        if let Some(measured) = &mut self.measured {
            measured.blocked.start(clock::now());
        }
    }

    /// Takes note that the socket has room, or that waiting for it is pointless.
    pub fn unblock(&mut self, now: Nanos) {
        if let Some(measured) = &mut self.measured {
            measured.blocked.stop(now);
        }
    }

    /// Forgets the messages that the kernel has nothing of.
    pub fn cancel(&mut self, outbox: &mut Outbox) {
        self.left = 0;
        self.accounting.cancel(outbox);
    }

    /// What the kernel has taken whole since the last call.
    pub fn take_new(&mut self) -> Count {
        self.accounting.take_new()
    }

    /// What was measured, if it is to be told: once.
    pub fn take_measurement(&mut self, outbox: &Outbox) -> Option<(Measurement, Traffic)> {
        let measured = *self.measured.take()?;
        let traffic = Traffic {
            count: self.accounting.taken(),
            has_all: self.left == 0 && !self.is_feed_on && self.accounting.has_all(),
            wire_bytes: outbox
                .taken_total()
                .saturating_sub(measured.measurement.control_bytes),
            write_calls: measured.write_calls,
            last_sent_ns: measured.last_sent_ns,
            blocked_ns: measured.blocked.total_ns(),
        };
        Some((measured.measurement, traffic))
    }
}
