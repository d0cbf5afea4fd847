//! What all connections of a thread share.

use std::sync::Arc;

use autostrada_proto::frame::Opcode;

use super::fault::Faults;
use super::observed::Observed;
use super::protocol::{HandshakeConfig, SharedEncoders};
use super::sending::Prepared;
use crate::plan::FramesPerWrite;

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;

/// The message of `/N`.
#[derive(Debug)]
pub struct Message {
    /// Text or binary.
    pub opcode: Opcode,
    /// What it says.
    pub payload: Vec<u8>,
    /// How many go into one system call.
    pub frames_per_write: FramesPerWrite,
    /// Its frames, for connections that write it uncompressed.
    pub prepared: Arc<Prepared>,
}

/// What all connections of a thread share.
#[derive(Debug)]
pub struct Resources {
    /// What is spoken and granted.
    pub handshake: Arc<HandshakeConfig>,
    /// What is pushed.
    pub message: Arc<Message>,
    /// Whether a result of each listener of a feed is wanted.
    pub measures_listeners: bool,
    /// The processes under test.
    pub observed: Observed,
    /// For messages that are compressed each by itself.
    pub encoders: SharedEncoders,
    /// What the turn of any connection reads into.
    pub read_buffer: Vec<u8>,
    /// For the bytes of an incomplete message.
    pub spare_input: Vec<u8>,
    /// For what a turn sends.
    pub spare_output: Vec<u8>,
    /// What goes wrong, where something is to.
    pub faults: Option<Box<Faults>>,
    /// The connection whose turn it is.
    pub index: usize,
    /// It has joined the feed as a subscriber.
    pub has_joined: bool,
}

impl Resources {
    /// Makes what a thread needs.
    pub fn new(
        handshake: Arc<HandshakeConfig>,
        message: Arc<Message>,
        measures_listeners: bool,
        observed: Observed,
    ) -> Self {
        Self {
            encoders: SharedEncoders::new(Arc::clone(&handshake)),
            handshake,
            message,
            measures_listeners,
            observed,
            read_buffer: vec![0; READ_BYTES],
            spare_input: Vec::new(),
            spare_output: Vec::new(),
            faults: None,
            index: 0,
            has_joined: false,
        }
    }
}
