//! The session settings of all connections of a thread, and what servers granted.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use autostrada_measure::{FailureKind, Nanos, Share};
use autostrada_proto::deflate::{
    CompressedTraffic, DeflateOffer, DeflateParameters, Deflater, Inflater,
};
use autostrada_proto::engine_io;
use autostrada_proto::handshake::client::{ClientHandshake, Response};
use autostrada_proto::http::client::RequestEncoder;
use autostrada_proto::message::{MessageDecoder, MessageEncoder, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::request::RequestTemplate;
use crate::client::end::End;
use crate::client::merge::merge;
use crate::client::plan::{EndPlan, LoadPlan};
use crate::client::sending::{Encoding, Frames, Outbox, SocketIoEncoding};
use crate::plan::{CompressionPlan, PlanError, ProtocolPlan};

/// Maximum length of a received message: longer than any that the contract allows.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// The session settings of a thread's connections.
#[derive(Debug)]
pub struct SessionConfig<'a> {
    /// The protocol of all connections.
    pub protocol: &'a ProtocolPlan,
    /// Which end of the connections the engine is.
    pub end: EndPlan,
    /// The WebSocket opening handshake, as far as it is the same for all connections.
    pub handshake: ClientHandshake<'a>,
    template: &'a RequestTemplate,
    /// The thread's share of the connections.
    share: Share,
    /// Encoder of long-polling requests.
    pub requests: RequestEncoder<'a>,
    /// Path of the opening request, including its query.
    pub path: &'a str,
    /// The connections that ask for another path: the first of them, the path and its request.
    other_path: Option<(usize, &'a str, ClientHandshake<'a>)>,
    offer: Option<(DeflateOffer, CompressionPlan)>,
    fragment_bytes: Option<NonZeroUsize>,
    /// The compressor that all connections share if there is no context takeover.
    shared_frames: Option<(DeflateParameters, Frames)>,
    /// Subprotocols and extensions that servers granted, and the compressed traffic.
    pub granted: Granted,
}

impl<'a> SessionConfig<'a> {
    /// Creates the settings of a share of the connections from the plan.
    pub fn new(
        plan: &'a LoadPlan,
        template: &'a RequestTemplate,
        fields: &'a [(&'a str, &'a str)],
        share: Share,
    ) -> anyhow::Result<Self> {
        let offer = plan.compression.map(|plan| Ok((plan.offer()?, plan)));
        let offer = offer.transpose().map_err(|error: PlanError| error)?;
        let (authority, path) = (&template.authority, &template.path);
        let other_path = match plan.workload.plan().other_path(plan.connections) {
            None => None,
            Some((first, path)) => {
                Some((first, path, ClientHandshake::new(authority, path, fields)?))
            }
        };
        Ok(Self {
            protocol: &plan.protocol,
            end: plan.end,
            handshake: ClientHandshake::new(authority, path, fields)?,
            template,
            share,
            requests: RequestEncoder::new(authority, fields)?,
            path,
            other_path,
            offer,
            fragment_bytes: plan
                .workload
                .plan()
                .fragment_bytes()
                .and_then(NonZeroUsize::new),
            shared_frames: None,
            granted: Granted::default(),
        })
    }

    /// Returns the path that the connection with this index within the thread asks for.
    pub fn path_of(&self, connection: usize) -> &'a str {
        match &self.other_path {
            Some((first, path, _)) if connection >= *first => path,
            _ => self.path,
        }
    }

    /// Appends the WebSocket opening request of the connection with this index within the thread.
    pub fn encode_request(&self, connection: usize, key: [u8; 16], out: &mut Vec<u8>) {
        if let Some((first, _, request)) = &self.other_path
            && connection >= *first
        {
            request.encode_request(key, out);
            return;
        }
        let connection = self.share.of_all(connection as u64);
        if !self.template.encode_of_user(connection, key, out) {
            self.handshake.encode_request(key, out);
        }
    }

    /// Returns the credentials of the connection with this index within the thread, over Socket.IO.
    pub fn auth(&self, connection: usize) -> Option<Box<RawValue>> {
        let connection = self.share.of_all(connection as u64);
        self.template.greeting.auth(connection)
    }

    /// Appends the messages that precede those of the workload, on a connection that has opened.
    pub fn send_greeting(&self, connection: usize, outbox: &mut Outbox) {
        let connection = self.share.of_all(connection as u64);
        self.template.greeting.send(connection, outbox);
    }

    /// Returns the version of Engine.IO; protocols without Engine.IO do not use it.
    pub fn engine_io_version(&self) -> engine_io::Version {
        match self.protocol {
            ProtocolPlan::SocketIo(plan) => plan.version(),
            _ => engine_io::Version::V4,
        }
    }

    /// Returns the encoding of messages if no extension is negotiated.
    pub fn plain_encoding(&self) -> Encoding {
        self.encoding_with(self.plain_frames())
    }

    fn plain_frames(&self) -> Frames {
        match self.fragment_bytes {
            None if self.end == EndPlan::Server || self.protocol.is_polling() => Frames::Unmasked,
            None => Frames::Whole,
            Some(bytes) => Frames::encoded_by(MessageEncoder::new().with_fragments_of(bytes)),
        }
    }

    fn encoding_with(&self, frames: Frames) -> Encoding {
        match self.protocol {
            ProtocolPlan::WebSocket {} => Encoding::Frames(frames),
            ProtocolPlan::FramedTcp {} => Encoding::Framed,
            ProtocolPlan::SocketIo(plan) => {
                Encoding::SocketIo(Box::new(SocketIoEncoding::new(plan, frames)))
            }
        }
    }

    /// Applies the response to an opening request; returns the decoder and encoding of messages.
    /// Returns a failure of kind `handshake` if the server granted extensions that were not
    /// offered.
    pub fn negotiate(&mut self, response: &Response) -> Result<(MessageDecoder, Encoding), End> {
        let name = response.subprotocol.clone().unwrap_or_default();
        *self.granted.subprotocols.entry(name).or_default() += 1;
        let decoder = decoder(Role::Client);
        let Some((offer, plan)) = self.offer else {
            return Ok((decoder, self.encoding_with(self.plain_frames())));
        };
        let parameters = offer
            .check_answer(&response.extensions)
            .map_err(|error| End::Failed(FailureKind::Handshake, error.to_string()))?;
        let extensions = response.extensions.join(", ");
        let connections = &mut self.granted.compression.connections;
        *connections.entry(extensions).or_default() += 1;
        let Some(parameters) = parameters else {
            return Ok((decoder, self.encoding_with(self.plain_frames())));
        };
        let frames = self.compressing_frames(parameters, plan);
        let inflater = Inflater::new(parameters, Role::Client);
        Ok((decoder.with_inflater(inflater), self.encoding_with(frames)))
    }

    fn compressing_frames(
        &mut self,
        parameters: DeflateParameters,
        plan: CompressionPlan,
    ) -> Frames {
        if let Some((shared, frames)) = &self.shared_frames
            && *shared == parameters
        {
            return frames.clone();
        }
        let deflater = Deflater::new(parameters, Role::Client, plan.level);
        let mut encoder = MessageEncoder::new().with_deflater(deflater, plan.min_bytes);
        if let Some(bytes) = self.fragment_bytes {
            encoder = encoder.with_fragments_of(bytes);
        }
        let frames = Frames::encoded_by(encoder);
        if parameters.client_no_context_takeover {
            self.shared_frames = Some((parameters, frames.clone()));
        }
        frames
    }

    /// Adds the compressed and decompressed traffic of a connection that has ended.
    pub fn count_traffic(&mut self, decoder: Option<&MessageDecoder>, encoding: &mut Encoding) {
        if let Some(inflater) = decoder.and_then(MessageDecoder::inflater) {
            self.granted.compression.received.add(inflater.traffic(), 0);
        }
        let frames = match encoding {
            Encoding::Frames(frames) => Some(&*frames),
            Encoding::SocketIo(socket_io) => Some(&socket_io.frames),
            Encoding::Framed => None,
        };
        if let Some(frames) = frames
            && !self.is_shared(frames)
        {
            self.granted.compression.sent.add_frames(frames);
        }
    }

    /// Adds the traffic of the compressor that all connections share.
    pub fn count_shared_traffic(&mut self) {
        if let Some((_, frames)) = self.shared_frames.take() {
            self.granted.compression.sent.add_frames(&frames);
        }
    }

    fn is_shared(&self, frames: &Frames) -> bool {
        match (&self.shared_frames, frames) {
            (Some((_, Frames::Encoded(shared))), Frames::Encoded(own)) => {
                std::rc::Rc::ptr_eq(shared, own)
            }
            _ => false,
        }
    }
}

/// Returns the decoder of messages that this end receives.
pub fn decoder(role: Role) -> MessageDecoder {
    MessageDecoder::new(role, MAX_MESSAGE_BYTES)
}

/// Subprotocols and extensions that servers granted, and the compressed traffic.
#[derive(Debug, Clone, Default)]
pub struct Granted {
    /// Number of connections for each granted subprotocol; `""` stands for none.
    pub subprotocols: BTreeMap<String, u64>,
    /// Extensions granted to connections that offered compression, and their traffic.
    pub compression: CompressionRow,
}

merge!(Granted {
    subprotocols: counts,
    compression: each,
});

/// Compressed messages of both directions.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Compression")]
pub struct CompressionRow {
    /// For each set of granted parameters, the number of connections; the empty name stands for no
    /// compression.
    pub connections: BTreeMap<String, u64>,
    /// Compressed messages sent.
    pub sent: Compressed,
    /// Compressed messages received.
    pub received: Compressed,
}

merge!(CompressionRow {
    connections: counts,
    sent: each,
    received: each,
});

/// Compressed messages of one direction.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
pub struct Compressed {
    /// Number of messages.
    pub messages: u64,
    /// Payload bytes of these messages, uncompressed.
    pub raw_bytes: u64,
    /// Payload bytes of these messages, compressed.
    pub compressed_bytes: u64,
    /// Time the engine spent compressing or decompressing them, in nanoseconds.
    pub busy_ns: Nanos,
}

merge!(Compressed {
    messages: sum,
    raw_bytes: sum,
    compressed_bytes: sum,
    busy_ns: sum,
});

impl Compressed {
    fn add(&mut self, traffic: CompressedTraffic, busy_ns: Nanos) {
        self.messages += traffic.messages;
        self.raw_bytes += traffic.raw_bytes;
        self.compressed_bytes += traffic.compressed_bytes;
        self.busy_ns += busy_ns;
    }

    fn add_frames(&mut self, frames: &Frames) {
        if let Frames::Encoded(compressor) = frames
            && let Some((traffic, busy_ns)) = compressor.borrow().traffic()
        {
            self.add(traffic, busy_ns);
        }
    }
}
