//! How a thread stands still, sends what is late, and resets connections: as planned.

use autostrada_net::clock;

use super::Worker;

impl Worker {
    /// Does nothing at all for as long as is planned, where the time for it has come.
    pub(super) fn stand_still(&mut self) {
        let Some(faults) = &mut self.resources.faults else {
            return;
        };
        let stalls = &mut faults.stalls;
        if let Some(until) = stalls.as_mut().and_then(|one| one.begin(clock::now())) {
            clock::sleep_until(until);
            faults.queue.resume(until);
        }
    }

    /// Sends what has waited for its time, and sets the alarm to what comes next.
    pub(super) fn send_departures(&mut self) -> anyhow::Result<()> {
        let mut now = clock::now();
        let mut last = None;
        while let Some(faults) = &mut self.resources.faults
            && let Some((recipient, departure)) = faults.queue.pop(now)
        {
            if let Some(index) = last.replace(recipient.index)
                && index != recipient.index
            {
                self.flush(index)?;
            }
            let connection = self.connections[recipient.index].as_mut();
            if let Some(connection) = connection.filter(|one| one.serial() == recipient.serial) {
                connection.depart(departure, &mut self.resources);
            }
            now = clock::now();
        }
        if let Some(index) = last {
            self.flush(index)?;
        }
        let (Some(faults), Some(alarm)) = (&mut self.resources.faults, &mut self.alarm) else {
            return Ok(());
        };
        for recipient in faults.left.drain(..) {
            self.close_deadlines
                .push(now, recipient.index, recipient.serial);
        }
        Ok(alarm.set(faults.next_at(), now)?)
    }

    /// Sends what a connection has to send, without waiting for its turn.
    fn flush(&mut self, index: usize) -> anyhow::Result<()> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        let progress = connection.flush(&mut self.resources);
        self.count(index);
        self.conclude(index, progress)?;
        self.reset_if_planned(index)
    }

    /// Resets a connection that has been sent what it was to get before.
    pub(super) fn reset_if_planned(&mut self, index: usize) -> anyhow::Result<()> {
        if let Some(connection) = &mut self.connections[index]
            && connection.is_to_be_reset()
        {
            connection.reset_when_closed();
            return self.drop_connection(index, "it has been sent all that it was to get");
        }
        Ok(())
    }
}
