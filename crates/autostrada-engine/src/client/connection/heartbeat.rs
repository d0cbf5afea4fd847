//! The heartbeat of a connection whose protocol requires pings from the client.

use autostrada_measure::Nanos;

use super::{Connection, Shared};
use crate::client::end::End;

impl Connection {
    /// Returns when to call `beat` next, or `None` if no heartbeat is due any more.
    ///
    /// A slow connection has none, because it does not read the pongs.
    pub fn beat_due(&self) -> Option<Nanos> {
        let has_heartbeat = self.is_open() && !self.is_slow;
        self.session.beat_due().filter(|_| has_heartbeat)
    }

    /// Sends the ping that is due at `now`, if any.
    /// Returns a failure if the server has not sent anything in time, or sending fails.
    pub fn beat(&mut self, index: usize, now: Nanos, shared: &mut Shared<'_>) -> Result<(), End> {
        if self.beat_due().is_none() {
            return Ok(());
        }
        self.outbox.borrow_buffer(&mut shared.spares);
        self.session.beat(now, &mut self.outbox)?;
        self.flush(index, shared)
    }
}
