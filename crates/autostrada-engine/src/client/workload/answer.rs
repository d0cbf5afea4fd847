//! Answer: each received message is sent back unchanged; the server sends first and closes.

use autostrada_measure::{Nanos, RecordError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, Outcome, Thread, Workload, WorkloadPlan};
use super::message::Message;
use super::records::Records;
use crate::client::merge::merge;
use crate::client::sending::Outbox;
use crate::plan::{Phases, PlanError, ProtocolPlan, SocketIoTransport};

/// Send each received message back unchanged and in order. The server sends first and may close the
/// connection. While the server has left more than 64 KiB unread, the client stops reading. With
/// `socket-io`, only the WebSocket transport without `acknowledge` is supported.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "AnswerWorkload")]
#[serde(deny_unknown_fields)]
pub struct AnswerPlan {
    /// Durations of the phases of the trial.
    phases: Phases,
}

impl WorkloadPlan for AnswerPlan {
    /// Refuses acknowledgements and long-polling: a message that is sent back must not be answered,
    /// or wait for a request.
    fn check(&self, _connections: usize, protocol: &ProtocolPlan) -> Result<(), PlanError> {
        match protocol {
            ProtocolPlan::SocketIo(plan)
                if plan.acknowledge || plan.transport == SocketIoTransport::Polling =>
            {
                Err(PlanError::new(
                    "answer needs socket-io over websocket without acknowledge: remove transport \
                     and acknowledge",
                ))
            }
            _ => Ok(()),
        }
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn sends(&self) -> bool {
        true
    }
}

impl Kind for AnswerPlan {
    type Workload = Answer;
    type Section = AnswerSection;

    fn workload(&self, _thread: Thread<'_>) -> Result<Answer, PlanError> {
        Ok(Answer::default())
    }

    fn section(&self, outcome: &Outcome<'_, ()>) -> AnswerSection {
        AnswerSection {
            answered: Some(outcome.records.sent_total),
        }
    }
}

/// The section of the result for `answer`.
#[derive(Debug, Default, Clone, Deserialize, Serialize, JsonSchema)]
pub struct AnswerSection {
    /// Number of messages that `answer` sent back, at any time; null for other workloads. A
    /// connection that the peer closes with a closing handshake is not a failure.
    pub answered: Option<u64>,
}

merge!(AnswerSection {
    answered: sum_of_known
});

/// The `answer` workload of one thread. All messages count, whenever they are received.
#[derive(Debug, Default)]
pub struct Answer {
    records: Records,
}

impl Workload for Answer {
    type Counts = ();

    const ANSWERS: bool = true;

    fn received(
        &mut self,
        _connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        self.records.count(1, message.payload.len() as u64, now);
        if !outbox.is_closing() {
            let waiting_bytes = outbox.waiting_bytes();
            outbox.send(message.opcode, message.payload, None);
            outbox.count_own_bytes(waiting_bytes);
            self.records.sent_total += 1;
        }
        Ok(())
    }

    /// The server ends the connection, with any code.
    fn expects_close(&self, _code: u16) -> bool {
        true
    }

    fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn into_records(self) -> (Records, ()) {
        (self.records, ())
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
        let (records, ()) = answer.into_records();
        assert_eq!((records.messages, records.bytes), (3, 14));
        assert_eq!(records.sent_total, 2);
    }
}
