//! The second socket of long-polling, on which packets are received.

use autostrada_net::{Transfer, clock};

use super::unfinished::Unfinished;
use super::wire::Progress;
use super::{Connection, Received, Shared, SocketRole, Wire, ended, redial};
use crate::client::end::End;
use crate::client::session::{Delivery, Polling, Session};
use crate::client::workload::Workload;

/// The socket that receives packets with long-polling, and its request.
#[derive(Debug)]
pub struct Polls {
    pub wire: Wire,
    unfinished: Unfinished,
    request: Vec<u8>,
    sent: usize,
}

impl Connection {
    /// Adds the second socket of long-polling.
    pub fn with_polls(mut self, wire: Wire) -> Self {
        self.session = Session::Polling(Box::new(Polling::new()));
        self.polls = Some(Box::new(Polls {
            wire,
            unfinished: Unfinished::default(),
            request: Vec::new(),
            sent: 0,
        }));
        self
    }

    /// Sends a request for packets if one is due.
    pub(super) fn flush_polls(&mut self, shared: &mut Shared<'_>) -> Result<(), End> {
        let (Session::Polling(polling), Some(polls)) = (&mut self.session, &mut self.polls) else {
            return Ok(());
        };
        if !polls.wire.is_ready() || self.outbox.is_closing() {
            return Ok(());
        }
        polling.poll(&shared.session_config, &mut polls.request)?;
        while polls.sent < polls.request.len() {
            let moved = polls.wire.write(&polls.request[polls.sent..], shared)?;
            if moved == 0 {
                return Ok(());
            }
            polls.sent += moved;
        }
        polls.request.clear();
        polls.sent = 0;
        polls.wire.flush()
    }

    /// Reads up to `bytes_max` bytes from the socket of the GET requests.
    pub fn receive_polls<W: Workload>(
        &mut self,
        index: usize,
        bytes_max: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        let (Session::Polling(polling), Some(polls)) = (&mut self.session, &mut self.polls) else {
            return Ok(Received::All);
        };
        while polls.wire.advance()? != Progress::None {}
        let mut left_bytes = bytes_max;
        while polls.wire.is_ready() {
            if left_bytes == 0 {
                return Ok(Received::More);
            }
            let (kept, room) = polls.unfinished.restore(&mut shared.buffer);
            let room = room.min(left_bytes);
            let moved = match polls.wire.read(&mut shared.buffer[kept..kept + room])? {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock => break,
                Transfer::Ended if self.outbox.is_closing() => break,
                Transfer::Ended if polling.is_poll_due() => return Err(ended(false)),
                Transfer::Ended => {
                    polls.wire = redial(index, SocketRole::Polls, shared)?;
                    break;
                }
            };
            let now = clock::now();
            shared.read_calls += 1;
            shared.read_bytes += moved as u64;
            left_bytes -= moved;
            let long;
            let input = if polls.unfinished.is_long(shared.buffer.len()) {
                let Some(whole) = polls.unfinished.gather(&shared.buffer[..moved]) else {
                    continue;
                };
                long = whole;
                &long[..]
            } else {
                &shared.buffer[..kept + moved]
            };
            let mut delivery = Delivery {
                connection: index,
                now,
                workload,
                outbox: &mut self.outbox,
            };
            let consumed = polling.process_polls(input, &shared.session_config, &mut delivery)?;
            polls.unfinished.keep(consumed, input);
            if consumed.has_opened {
                return Ok(Received::Opened(now));
            }
        }
        Ok(Received::All)
    }
}
