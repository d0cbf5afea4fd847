//! Packets of Socket.IO with their attachments. The input is a long-polling payload of texts and
//! binary messages.

use autostrada_proto::engine_io::{self, PacketDecoder, Version, split_payload};
use autostrada_proto::frame::Opcode;
use autostrada_proto::socket_io::{Assembled, Assembler, PacketError, PacketKind};

use crate::memory::{self, without_counting};
use crate::settings::Settings;

/// Allowance for an assembler in addition to packets: errors and the ends of attachments.
const SPARE_BYTES: usize = 2_048;

/// A message of an Engine.IO session.
type Message = (Opcode, Vec<u8>);

/// Checks that encoding decoded packets gives equivalent packets within the limits.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let attachments_max = usize::from(settings.choices % 16);
    let limit_bytes = settings.limit_bytes;
    let written = read(&read_messages(bytes), attachments_max, limit_bytes);
    // Numbers and the main namespace may be encoded shorter than received, never longer, except
    // for the comma after a namespace at the end of the text.
    let again = read(&written.concat(), attachments_max, limit_bytes + 1);
    assert_eq!(again, written);
    for packet in written {
        let packet_bytes: usize = packet.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(packet_bytes <= limit_bytes + 1);
        assert!(packet.len() <= 1 + attachments_max);
    }
}

fn read_messages(payload: &[u8]) -> Vec<Message> {
    let mut decoder = PacketDecoder::new(Version::V4);
    let mut messages = Vec::new();
    for text in split_payload(payload) {
        match decoder.decode_text(text) {
            Ok(engine_io::Packet::Message(text)) => messages.push((Opcode::Text, text.to_vec())),
            Ok(engine_io::Packet::Binary(bytes)) => {
                messages.push((Opcode::Binary, bytes.to_vec()));
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    messages
}

/// Decodes packets up to the first error; returns the messages to which each is encoded.
fn read(messages: &[Message], attachments_max: usize, limit_bytes: usize) -> Vec<Vec<Message>> {
    let mut assembler = Assembler::new(attachments_max, limit_bytes);
    memory::reset();
    let mut written = Vec::new();
    for (opcode, bytes) in messages {
        let result = memory::count_allocations(|| {
            let whole = match opcode {
                Opcode::Text => assembler.receive_text(bytes)?,
                _ => assembler.receive_binary(bytes)?,
            };
            without_counting(|| written.extend(whole.map(|assembled| write(&assembled))));
            Ok::<_, PacketError>(())
        });
        if result.is_err() {
            break;
        }
    }
    // One packet is stored with its text and attachments; a name with escapes is copied twice.
    assert!(memory::held_bytes_max() <= 4 * limit_bytes + SPARE_BYTES);
    written
}

fn write(assembled: &Assembled<'_>) -> Vec<Message> {
    if let PacketKind::Event { data, .. } = assembled.packet.kind {
        assert!(data.event_name().is_some());
    }
    let mut text = Vec::new();
    assembled.packet.encode(&mut text);
    let attachments = assembled.attachments;
    let bytes = (0..).map_while(|num| attachments.get(num));
    std::iter::once((Opcode::Text, text))
        .chain(bytes.map(|bytes| (Opcode::Binary, bytes.to_vec())))
        .collect()
}
