//! WebSocket: the answer to the opening request, and frames.

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_proto::close::{self, ProtocolError};
use autostrada_proto::frame::Opcode;
use autostrada_proto::handshake::client::{HandshakeError, Response};
use autostrada_proto::message::{Decoded, Event, MessageDecoder};

use super::{Delivery, SessionConfig, Taken, refused};
use crate::client::end::End;
use crate::client::sending::Outbox;
use crate::client::workload::Workload;

/// Reads the answer to the opening request, once it is whole.
pub fn read_response(
    key: [u8; 16],
    input: &[u8],
    session_config: &SessionConfig<'_>,
) -> Result<Option<Response>, End> {
    session_config
        .handshake
        .decode_response(key, input)
        .map_err(|error: HandshakeError| refused(error.to_string()))
}

/// Hands whole messages to the workload.
///
/// It is not inlined: the other protocols beside it would cost its loop registers.
#[inline(never)]
pub fn take_in<W: Workload>(
    decoder: &mut MessageDecoder,
    input: &mut [u8],
    session_config: &mut SessionConfig<'_>,
    to: &mut Delivery<'_, W>,
) -> Result<Taken, End> {
    let knows_frames = to.workload.knows_frames();
    let mut bytes = 0;
    let mut deliver = |frame: Frame<'_>, to: &mut Delivery<'_, W>| match frame {
        Frame::Message(opcode, payload) => to.deliver(opcode, payload),
        Frame::Nothing => Ok(()),
    };
    loop {
        if knows_frames && decoder.is_between_messages() {
            let front = &input[bytes..];
            bytes += to
                .workload
                .take_known(to.connection, front, to.outbox, to.now);
        }
        match decode_frame(
            decoder,
            &mut input[bytes..],
            session_config,
            to,
            &mut deliver,
        )? {
            Step::Incomplete { needed_bytes } => {
                return Ok(Taken {
                    bytes,
                    needed_bytes,
                    has_opened: false,
                });
            }
            Step::Frame {
                bytes: frame_bytes, ..
            } => {
                bytes += frame_bytes;
                if to.is_choked() {
                    return Ok(Taken::up_to(bytes));
                }
            }
        }
    }
}

/// What a frame brings beside what the protocol itself takes care of.
pub enum Frame<'a> {
    /// A whole message.
    Message(Opcode, &'a [u8]),
    /// A control frame, or a fragment.
    Nothing,
}

/// What is at the front of the input.
pub enum Step<T> {
    /// Part of a frame.
    Incomplete {
        /// So much there must be.
        needed_bytes: usize,
    },
    /// A frame, and what was made of it.
    Frame {
        /// Its length.
        bytes: usize,
        /// What the taker said.
        taken: T,
    },
}

/// Takes one frame: answers pings and closing frames, hands over what it brings.
#[expect(clippy::inline_always, reason = "it is the body of the hottest loop")]
#[inline(always)]
pub fn decode_frame<W: Workload, T>(
    decoder: &mut MessageDecoder,
    input: &mut [u8],
    session_config: &mut SessionConfig<'_>,
    to: &mut Delivery<'_, W>,
    take: &mut impl FnMut(Frame<'_>, &mut Delivery<'_, W>) -> Result<T, End>,
) -> Result<Step<T>, End> {
    let begun = decoder.inflater().map(|_| clock::now());
    let front = decoder.decode(input);
    if let Some(begun) = begun {
        session_config.granted.received.busy_ns += elapsed(begun);
    }
    let (consumed_bytes, event) = match front {
        Ok(Decoded::Incomplete { needed_bytes }) => {
            return Ok(Step::Incomplete { needed_bytes });
        }
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        }) => (consumed_bytes, event),
        Err(error) => return Err(refuse(error, to.outbox)),
    };
    let frame = match event {
        Event::Text(payload) => Frame::Message(Opcode::Text, payload),
        Event::Binary(payload) => Frame::Message(Opcode::Binary, payload),
        Event::Ping(payload) => {
            to.outbox.pong(payload);
            Frame::Nothing
        }
        Event::Close(_) if to.outbox.is_closing() => return Err(End::Done),
        Event::Close(received) => {
            let code = received.map_or(close::NORMAL, |received| received.code);
            to.outbox.close(code);
            return Err(End::Closed(code));
        }
        Event::Pong(_) | Event::Fragment => Frame::Nothing,
    };
    Ok(Step::Frame {
        bytes: consumed_bytes,
        taken: take(frame, to)?,
    })
}

/// Closes with the code for what the peer did wrong.
pub fn refuse(error: ProtocolError, outbox: &mut Outbox) -> End {
    outbox.close(error.close_code());
    End::violation(&error)
}

fn elapsed(begun: Nanos) -> Nanos {
    clock::now() - begun
}
