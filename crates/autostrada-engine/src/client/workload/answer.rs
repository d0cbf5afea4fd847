//! Answer: every message goes back as it came; the server speaks first, and ends it.

use autostrada_measure::{Nanos, RecordError};

use super::{Message, Outbox, Recorded, Workload};

/// The workload. All messages count, whenever they come.
#[derive(Debug, Default)]
pub struct Answer {
    recorded: Recorded,
}

impl Workload for Answer {
    const ANSWERS: bool = true;

    fn received(
        &mut self,
        _connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        self.recorded.count(1, message.payload.len() as u64, now);
        if !outbox.is_closing() {
            let waiting_bytes = outbox.waiting_bytes();
            outbox.send(message.opcode, message.payload, None);
            outbox.own_beyond(waiting_bytes);
            self.recorded.sent_in_all += 1;
        }
        Ok(())
    }

    /// It is the server that ends it, for whatever reason it gives.
    fn expects_close(&self, _code: u16) -> bool {
        true
    }

    fn recorded(&mut self) -> &mut Recorded {
        &mut self.recorded
    }

    fn into_recorded(self) -> Recorded {
        self.recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_proto::frame::Opcode;

    #[test]
    fn a_message_goes_back_as_it_came_until_the_connection_is_being_closed() {
        let mut answer = Answer::default();
        let mut outbox = Outbox::default();
        for (opcode, first_byte) in [(Opcode::Text, 0x81), (Opcode::Binary, 0x82)] {
            let message = Message {
                opcode,
                payload: b"hello",
            };
            answer.received(0, message, &mut outbox, 5).unwrap();
            assert_eq!((outbox.rest()[0], outbox.rest().len()), (first_byte, 11));
            outbox.advance(11);
        }
        outbox.close(1000);
        let closing_bytes = outbox.rest().len();
        let late = Message {
            opcode: Opcode::Text,
            payload: b"late",
        };
        answer.received(0, late, &mut outbox, 6).unwrap();
        assert_eq!(outbox.rest().len(), closing_bytes);
        let recorded = answer.into_recorded();
        assert_eq!((recorded.messages, recorded.bytes), (3, 14));
        assert_eq!(recorded.sent_in_all, 2);
    }
}
