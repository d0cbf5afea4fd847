//! One receiving connection: handshake, counting, closing handshake.

use std::io;

use anyhow::{Context, bail};
use autostrada_net::{Stream, Transfer, clock, random_bytes};
use autostrada_proto::close::{self, Close, ProtocolError};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::handshake::client::ClientHandshake;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};

use super::Expected;
use super::tally::Tally;
use crate::line::Ended;
use crate::plan::{PlanError, Url};

/// The longest message that is taken: larger than any that the contract allows.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// What a turn has come to.
pub enum Progress {
    /// There may be more to read at once.
    Runnable,
    /// The socket must change first.
    Waiting,
    /// The connection is over.
    Ended(Ended),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Connecting,
    Handshake,
    Receiving,
    /// Our closing frame is queued: what still comes is not counted.
    Closing,
    Over,
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    stage: Stage,
    key: [u8; 16],
    host: String,
    path: String,
    decoder: MessageDecoder,
    /// The beginning of a frame, or of the response, whose end has not been read.
    unfinished: Vec<u8>,
    output: Vec<u8>,
    received: u64,
}

impl Connection {
    /// Begins with a stream that is being connected.
    ///
    /// # Errors
    ///
    /// When the URL makes no valid request.
    pub fn new(stream: Stream, url: &Url) -> Result<Self, PlanError> {
        let key = random_bytes();
        let mut output = Vec::new();
        ClientHandshake::new(&url.authority, &url.path, &[])
            .map_err(|error| PlanError::new(error.to_string()))?
            .encode_request(key, &mut output);
        Ok(Self {
            stream,
            stage: Stage::Connecting,
            key,
            host: url.authority.clone(),
            path: url.path.clone(),
            decoder: MessageDecoder::new(Role::Client, MAX_MESSAGE_BYTES),
            unfinished: Vec::new(),
            output,
            received: 0,
        })
    }

    /// Whether the opening handshake was completed.
    pub fn has_opened(&self) -> bool {
        self.stage >= Stage::Receiving
    }

    /// Sends what is queued, reads once into `buffer` and counts.
    ///
    /// # Errors
    ///
    /// When the connection could not be opened: later figures would be worthless.
    pub fn advance(
        &mut self,
        buffer: &mut Vec<u8>,
        expected: &Expected,
        tally: &mut Tally,
    ) -> anyhow::Result<Progress> {
        match self.stage {
            Stage::Over => return Ok(Progress::Waiting),
            Stage::Connecting => {
                if let Some(error) = self.stream.connect_error()? {
                    return Err(error).with_context(|| format!("cannot connect to {}", self.host));
                }
                self.stage = Stage::Handshake;
            }
            Stage::Handshake | Stage::Receiving | Stage::Closing => {}
        }
        match self.exchange(buffer, expected, tally) {
            Ok(Progress::Ended(ended)) => self.end(ended),
            Ok(progress) => Ok(progress),
            Err(error) => match error.downcast::<io::Error>() {
                Ok(error) => {
                    crate::log(&format!("a connection broke: {error}"));
                    self.end(Ended::Reset)
                }
                Err(other) => Err(other),
            },
        }
    }

    fn end(&mut self, ended: Ended) -> anyhow::Result<Progress> {
        if self.stage < Stage::Receiving {
            bail!(
                "{} ended the connection during the opening handshake",
                self.host
            );
        }
        // A peer that ends the stream after our closing frame has kept the protocol.
        let had_all = self.stage == Stage::Closing;
        self.stage = Stage::Over;
        let is_kept = had_all && matches!(ended, Ended::Closed | Ended::Reset);
        Ok(Progress::Ended(if is_kept {
            Ended::Complete
        } else {
            ended
        }))
    }

    /// Sends what is queued, reads once, takes in what has come.
    fn exchange(
        &mut self,
        buffer: &mut Vec<u8>,
        expected: &Expected,
        tally: &mut Tally,
    ) -> anyhow::Result<Progress> {
        self.flush()?;
        let kept = self.unfinished.len();
        buffer[..kept].copy_from_slice(&self.unfinished);
        let moved = match self.stream.read(&mut buffer[kept..])? {
            Transfer::Bytes(moved) => moved,
            Transfer::WouldBlock => return Ok(Progress::Waiting),
            Transfer::Ended => return Ok(Progress::Ended(Ended::Closed)),
        };
        tally.read_calls += 1;
        tally.wire_bytes += moved as u64;
        let input = &mut buffer[..kept + moved];
        let taken = self.take(input, expected, tally)?;
        self.unfinished.clear();
        self.unfinished.extend_from_slice(&input[taken.bytes..]);
        if taken.needed_bytes > buffer.len() {
            buffer.resize(taken.needed_bytes, 0);
        }
        self.flush()?;
        Ok(taken.ended.map_or(Progress::Runnable, Progress::Ended))
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.output.is_empty() {
            match self.stream.write(&self.output)? {
                Transfer::Bytes(moved) => drop(self.output.drain(..moved)),
                Transfer::WouldBlock | Transfer::Ended => break,
            }
        }
        Ok(())
    }

    /// Takes in all whole frames at the front of `input`.
    fn take(
        &mut self,
        input: &mut [u8],
        expected: &Expected,
        tally: &mut Tally,
    ) -> anyhow::Result<Taken> {
        let mut taken = Taken::default();
        if self.stage == Stage::Handshake && !self.open(input, &mut taken, tally)? {
            return Ok(taken);
        }
        let before = tally.messages;
        if let Err(error) = self.decode(input, expected, tally, &mut taken) {
            crate::log(&format!("the server broke the protocol: {error}"));
            self.queue_close(error.close_code());
            taken.ended = Some(Ended::Violation);
        }
        if tally.messages > before {
            tally.received_ns = clock::now();
        }
        if self.stage != Stage::Receiving || taken.ended.is_some() {
            tally.received_cpu_ns = clock::thread_cpu();
        }
        Ok(taken)
    }

    /// Reads the response, once it is whole.
    fn open(&mut self, input: &[u8], taken: &mut Taken, tally: &mut Tally) -> anyhow::Result<bool> {
        let handshake = ClientHandshake::new(&self.host, &self.path, &[])?;
        let Some(response) = handshake.decode_response(self.key, input)? else {
            return Ok(false);
        };
        taken.bytes = response.consumed_bytes;
        self.stage = Stage::Receiving;
        if tally.opened_ns.is_none() {
            tally.opened_ns = Some(clock::now());
            tally.opened_cpu_ns = clock::thread_cpu();
        }
        Ok(true)
    }

    /// Counts messages until a frame is not whole, or the connection is over.
    fn decode(
        &mut self,
        input: &mut [u8],
        expected: &Expected,
        tally: &mut Tally,
        taken: &mut Taken,
    ) -> Result<(), ProtocolError> {
        loop {
            if self.stage == Stage::Receiving {
                taken.bytes += self.count_repeated(&input[taken.bytes..], expected, tally);
                if self.received == expected.messages {
                    self.stage = Stage::Closing;
                    self.queue_close(close::NORMAL);
                }
            }
            match self.decode_frame(&mut input[taken.bytes..], expected, tally)? {
                Step::Incomplete { needed_bytes } => {
                    taken.needed_bytes = needed_bytes;
                    return Ok(());
                }
                Step::Frame { bytes } => taken.bytes += bytes,
                Step::Close { code } => {
                    taken.ended = Some(self.answer_close(code));
                    return Ok(());
                }
            }
        }
    }

    /// Counts the expected frames at the front of `input`; returns their bytes.
    fn count_repeated(&mut self, input: &[u8], expected: &Expected, tally: &mut Tally) -> usize {
        let Some(frame) = &expected.frame else {
            return 0;
        };
        if !self.decoder.is_between_messages() {
            return 0;
        }
        let left = usize::try_from(expected.messages - self.received).unwrap_or(usize::MAX);
        let found = frame.count_at_front(input).min(left);
        self.received += found as u64;
        tally.count(found as u64, (found * expected.payload.len()) as u64);
        found * frame.frame().len()
    }

    /// Takes the frame at the front of `input`, whatever it is.
    fn decode_frame(
        &mut self,
        input: &mut [u8],
        expected: &Expected,
        tally: &mut Tally,
    ) -> Result<Step, ProtocolError> {
        let (consumed_bytes, event) = match self.decoder.decode(input)? {
            Decoded::Incomplete { needed_bytes } => return Ok(Step::Incomplete { needed_bytes }),
            Decoded::Event {
                consumed_bytes,
                event,
            } => (consumed_bytes, event),
        };
        match event {
            Event::Text(payload) if self.stage == Stage::Receiving => {
                self.received += 1;
                expected.count(Opcode::Text, payload, tally);
            }
            Event::Binary(payload) if self.stage == Stage::Receiving => {
                self.received += 1;
                expected.count(Opcode::Binary, payload, tally);
            }
            Event::Ping(payload) => {
                encode_frame(
                    Opcode::Pong,
                    Some(random_bytes()),
                    payload,
                    &mut self.output,
                );
            }
            Event::Close(close) => {
                let code = close.map_or(close::NORMAL, |close| close.code);
                return Ok(Step::Close { code });
            }
            Event::Text(_) | Event::Binary(_) | Event::Pong(_) | Event::Fragment => {}
        }
        Ok(Step::Frame {
            bytes: consumed_bytes,
        })
    }

    fn answer_close(&mut self, code: u16) -> Ended {
        if self.stage == Stage::Closing {
            return Ended::Complete;
        }
        self.queue_close(code);
        Ended::Closed
    }

    fn queue_close(&mut self, code: u16) {
        let mut payload = Vec::new();
        Close { code, reason: "" }.encode(&mut payload);
        encode_frame(
            Opcode::Close,
            Some(random_bytes()),
            &payload,
            &mut self.output,
        );
    }
}

/// How far one call has come with the bytes given to it.
#[derive(Debug, Default)]
struct Taken {
    bytes: usize,
    /// How many bytes the frame at the end must have before it can be taken.
    needed_bytes: usize,
    ended: Option<Ended>,
}

/// What one frame was.
enum Step {
    Incomplete { needed_bytes: usize },
    Frame { bytes: usize },
    Close { code: u16 },
}
