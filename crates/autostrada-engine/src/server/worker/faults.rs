//! Fault injection in a thread: stops, delayed messages, and resets.

use autostrada_net::clock;

use super::Worker;

impl Worker {
    /// Sleeps until the end of a planned stop, if one is due.
    pub(super) fn stop_if_planned(&mut self) {
        let Some(faults) = &mut self.resources.faults else {
            return;
        };
        let stalls = &mut faults.stalls;
        if let Some(until) = stalls.as_mut().and_then(|one| one.begin(clock::now())) {
            clock::sleep_until(until);
            faults.queue.resume(until);
        }
    }

    /// Sends delayed messages that are due, and sets the alarm to the next event.
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
            if let Some(connection) = connection.filter(|one| one.serial == recipient.serial) {
                connection.send_departure(departure, &mut self.resources);
            }
            now = clock::now();
        }
        if let Some(index) = last {
            self.flush(index)?;
        }
        let (Some(faults), Some(alarm)) = (&mut self.resources.faults, &mut self.alarm) else {
            return Ok(());
        };
        for recipient in faults.closing.drain(..) {
            self.close_deadlines
                .push(now, recipient.index, recipient.serial);
        }
        Ok(alarm.set(faults.next_at(), now)?)
    }

    /// Writes the outbox of a connection without waiting for its turn.
    fn flush(&mut self, index: usize) -> anyhow::Result<()> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        let progress = connection.flush(&mut self.resources);
        self.count(index);
        self.conclude(index, progress)?;
        self.reset_if_planned(index)
    }

    /// Resets a connection if a reset is planned (`abort_after`) and all bytes before it are sent.
    pub(super) fn reset_if_planned(&mut self, index: usize) -> anyhow::Result<()> {
        if let Some(connection) = &mut self.connections[index]
            && connection.is_to_be_reset()
        {
            connection.reset_when_closed();
            return self.drop_connection(index, "reset after the planned number of messages");
        }
        Ok(())
    }
}
