//! Connect and reconnect: connections are open, and nothing is said.

use autostrada_measure::{Nanos, RecordError};

use super::{Message, Outbox, Recorded, Workload};

/// The workload. What a server says of its own accord is counted.
#[derive(Debug, Default)]
pub struct Idle {
    recorded: Recorded,
}

impl Workload for Idle {
    fn received(
        &mut self,
        _connection: usize,
        message: Message<'_>,
        _outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        self.recorded.count(1, message.payload.len() as u64, now);
        Ok(())
    }

    fn recorded(&mut self) -> &mut Recorded {
        &mut self.recorded
    }

    fn into_recorded(self) -> Recorded {
        self.recorded
    }
}
