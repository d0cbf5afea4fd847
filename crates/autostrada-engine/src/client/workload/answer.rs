//! Answer: every message goes back as it came; the server speaks first, and ends it.

use autostrada_measure::{Nanos, RecordError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, Outcome, Thread, Workload, WorkloadPlan};
use super::message::Message;
use super::recorded::Recorded;
use crate::client::sending::Outbox;
use crate::plan::{Phases, PlanError, ProtocolPlan, SocketIoTransport};

/// Send every message back as it came, in order: the server sends first, and may end it. While
/// more than 64 KiB wait to be read by the server, no more is read from it. Over `socket-io` by
/// WebSocket only, and without `acknowledge`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "AnswerWorkload")]
#[serde(deny_unknown_fields)]
pub struct AnswerPlan {
    /// How long the phases of the trial take.
    phases: Phases,
}

impl WorkloadPlan for AnswerPlan {
    /// What is sent back must not be answered in turn, and must not wait for requests.
    fn check(&self, _connections: usize, protocol: &ProtocolPlan) -> Result<(), PlanError> {
        match protocol {
            ProtocolPlan::SocketIo(plan)
                if plan.acknowledge || plan.transport == SocketIoTransport::Polling =>
            {
                Err(PlanError::new(
                    "answer goes over socket-io by websocket, and without acknowledge: leave out \
                     transport and acknowledge",
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
            answered: Some(outcome.recorded.sent_in_all),
        }
    }
}

/// What this kind adds to the result.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct AnswerSection {
    /// Of `answer`: messages that were sent back, at any time; a connection that the peer closes by
    /// its protocol is no failure.
    answered: Option<u64>,
}

/// The workload. All messages count, whenever they come.
#[derive(Debug, Default)]
pub struct Answer {
    recorded: Recorded,
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

    fn into_recorded(self) -> (Recorded, ()) {
        (self.recorded, ())
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
        let (recorded, ()) = answer.into_recorded();
        assert_eq!((recorded.messages, recorded.bytes), (3, 14));
        assert_eq!(recorded.sent_in_all, 2);
    }
}
