//! Packets of Socket.IO with their attachments. The input is a long-polling payload of texts and
//! binary messages.

use autostrada_proto::engine_io::{self, PacketDecoder, Version, split_payload};
use autostrada_proto::socket_io::{Assembled, Assembler, Packet, PacketError, PacketKind};

use crate::memory::{Meter, uncounted};
use crate::settings::Settings;

/// Allowance for an assembler in addition to packets: errors and the ends of attachments.
const SPARE_BYTES: usize = 2_048;

/// A message of an Engine.IO session.
enum Message {
    Text(Vec<u8>),
    Binary(Vec<u8>),
}

/// An owned packet and its properties.
#[derive(Debug, PartialEq, Eq)]
struct Received {
    kind: &'static str,
    namespace: String,
    ack_id: Option<u64>,
    event_name: Option<String>,
    json: Option<String>,
    elements: usize,
    attachments: Vec<Vec<u8>>,
}

impl Received {
    /// Length of the payload: less than text and attachments, to which the limit applies.
    fn payload_bytes(&self) -> usize {
        let json_bytes = self.json.as_ref().map_or(0, String::len);
        json_bytes + self.attachments.iter().map(Vec::len).sum::<usize>()
    }
}

/// Checks that encoding decoded packets gives equivalent packets within the limits.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let messages = read_messages(bytes);
    let attachments_max = usize::from(settings.choices % 16);
    let (received, written) = read(messages, attachments_max, settings.limit_bytes);
    // Numbers and the main namespace may be encoded shorter than received, never longer, except
    // for the comma after a namespace at the end of the text.
    let (decoded, _) = read(written, attachments_max, settings.limit_bytes + 1);
    assert_eq!(decoded, received);
}

fn read_messages(payload: &[u8]) -> Vec<Message> {
    let mut decoder = PacketDecoder::new(Version::V4);
    let mut messages = Vec::new();
    for text in split_payload(payload) {
        match decoder.decode_text(text) {
            Ok(engine_io::Packet::Message(text)) => messages.push(Message::Text(text.to_vec())),
            Ok(engine_io::Packet::Binary(bytes)) => messages.push(Message::Binary(bytes.to_vec())),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    messages
}

/// Decodes packets up to the first error, and encodes them.
fn read(
    messages: Vec<Message>,
    attachments_max: usize,
    limit_bytes: usize,
) -> (Vec<Received>, Vec<Message>) {
    let mut assembler = Assembler::new(attachments_max, limit_bytes);
    let mut meter = Meter::default();
    let mut all_received = Vec::new();
    let mut written = Vec::new();
    for message in messages {
        let received = meter.count(|| {
            let whole = match &message {
                Message::Text(text) => assembler.receive_text(text)?,
                Message::Binary(bytes) => assembler.receive_binary(bytes)?,
            };
            Ok::<_, PacketError>(uncounted(|| {
                whole.map(|assembled| {
                    write(&assembled, &mut written);
                    received_from(&assembled)
                })
            }))
        });
        match received {
            Ok(Some(received)) => {
                assert!(received.attachments.len() <= attachments_max);
                assert!(received.payload_bytes() <= limit_bytes);
                all_received.push(received);
            }
            Ok(None) => {}
            Err(_) => break,
        }
    }
    // One packet is stored with its text and attachments; a name with escapes is copied twice.
    assert!(meter.bytes_max() <= 4 * limit_bytes + SPARE_BYTES);
    (all_received, written)
}

fn write(assembled: &Assembled<'_>, written: &mut Vec<Message>) {
    let mut text = Vec::new();
    assembled.packet.encode(&mut text);
    written.push(Message::Text(text));
    written.extend(attachments(assembled).map(Message::Binary));
}

fn attachments(assembled: &Assembled<'_>) -> impl Iterator<Item = Vec<u8>> {
    let attachments = assembled.attachments;
    assert_eq!(attachments.get(attachments.len()), None);
    (0..attachments.len()).map(move |num| {
        attachments
            .get(num)
            .expect("the number is in range")
            .to_vec()
    })
}

fn received_from(assembled: &Assembled<'_>) -> Received {
    let Packet { namespace, kind } = assembled.packet;
    let (kind, ack_id, data, json) = match kind {
        PacketKind::Connect(json) => ("connect", None, None, json),
        PacketKind::Disconnect => ("disconnect", None, None, None),
        PacketKind::Event { ack_id, data } => ("event", ack_id, Some(data), Some(data.arguments)),
        PacketKind::Ack { ack_id, data } => ("ack", Some(ack_id), Some(data), Some(data.arguments)),
        PacketKind::ConnectError(json) => ("refusal", None, None, Some(json)),
    };
    let event_name = data.and_then(|data| data.event_name());
    assert!(kind != "event" || event_name.is_some());
    Received {
        kind,
        namespace: namespace.to_owned(),
        ack_id,
        event_name: event_name.map(std::borrow::Cow::into_owned),
        json: json.map(|json| json.get().to_owned()),
        elements: data.map_or(0, |data| {
            data.elements().expect("the arguments are an array").len()
        }),
        attachments: attachments(assembled).collect(),
    }
}
