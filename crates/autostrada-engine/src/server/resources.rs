//! Configuration and buffers that all connections of a thread share.

use std::sync::Arc;

use autostrada_measure::Nanos;
use autostrada_proto::frame::Opcode;

use super::fault::Faults;
use super::protocol::SharedEncoders;
use super::sending::Prepared;
use super::usage_reader::UsageReader;
use crate::plan::{FramesPerWrite, PingPlan};
use crate::send_buffer::SpareBuffers;

/// The message that `/N` sends.
#[derive(Debug)]
pub struct Message {
    /// Whether the message is text or binary.
    pub opcode: Opcode,
    /// The payload.
    pub payload: Vec<u8>,
    /// How many frames one system call writes.
    pub frames_per_write: FramesPerWrite,
    /// Minimum duration of a push, after which the server closes; `None` if the client closes after
    /// the requested number of messages.
    pub push_ns: Option<Nanos>,
    /// Whether the push is divided into slices.
    pub has_slices: bool,
    /// Pings between the messages.
    pub pings: Option<PingPlan>,
    /// Ready frames, for connections without compression.
    pub prepared: Arc<Prepared>,
}

/// Configuration and buffers that all connections of a thread share.
#[derive(Debug)]
pub struct Resources {
    /// The message that `/N` sends.
    pub message: Arc<Message>,
    /// Whether each subscriber of a feed gets its own result line.
    pub measures_subscribers: bool,
    /// Reads what the observed processes and this thread use.
    pub usage_reader: UsageReader,
    /// Encoders for messages that are compressed without context takeover.
    pub encoders: SharedEncoders,
    /// Buffer for reading, used by one connection at a time.
    pub read_buffer: Vec<u8>,
    /// Spare buffer for the bytes of an incomplete message.
    pub spare_inputs: SpareBuffers,
    /// Spare buffer for the bytes that a turn sends.
    pub spare_outputs: SpareBuffers,
    /// Fault injection; `None` if the plan has no `faults`.
    pub faults: Option<Box<Faults>>,
    /// Index of the connection whose turn it is.
    pub index: usize,
    /// Whether that connection subscribed to the feed in this turn.
    pub has_joined: bool,
}
