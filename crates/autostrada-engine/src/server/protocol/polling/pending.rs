//! What waits for the next poll of a session.

use std::collections::VecDeque;

use autostrada_proto::engine_io::{Packet, encode_payload};

use crate::server::protocol::socket_io::PacketSink;
use crate::server::sending::Count;

/// How many packets go into one response: what python-engineio takes at most.
const PACKETS_MAX: usize = 16;

/// Where a packet ends, and the message that ends with it.
#[derive(Debug)]
struct PacketEnd {
    bytes: usize,
    count: Count,
    /// Whether it goes into a response of its own: socket.io-client forgets messages that came
    /// together with the end of their session.
    is_alone: bool,
}

/// Packets in order, as they stand in the body of a response.
#[derive(Debug, Default)]
pub struct Pending {
    payload: Vec<u8>,
    /// Where the part begins that waits.
    start: usize,
    packets: VecDeque<PacketEnd>,
}

impl PacketSink for Pending {
    fn send(&mut self, packet: &Packet<'_>) {
        encode_payload(packet, &mut self.payload);
        self.packets.push_back(PacketEnd {
            bytes: self.payload.len(),
            count: Count::default(),
            is_alone: *packet == Packet::Close,
        });
    }
}

impl Pending {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether what waits fills a response.
    pub fn is_full(&self) -> bool {
        self.packets.len() >= PACKETS_MAX
    }

    /// How many bytes wait.
    pub fn bytes(&self) -> usize {
        self.payload.len() - self.start
    }

    /// Says that a message with so many bytes ends with the last packet.
    pub fn end_message(&mut self, payload_bytes: usize) {
        if let Some(last) = self.packets.back_mut() {
            last.count = Count {
                messages: 1,
                bytes: payload_bytes as u64,
            };
        }
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.packets.iter().any(|packet| packet.count.messages > 0)
    }

    /// Takes the body of a response, and what it says in messages.
    pub fn take(&mut self) -> (Vec<u8>, Count) {
        let mut count = Count::default();
        let mut end = self.start;
        let together = 1 + self
            .packets
            .iter()
            .skip(1)
            .take_while(|packet| !packet.is_alone)
            .count();
        let packets = together.min(PACKETS_MAX).min(self.packets.len());
        for packet in self.packets.drain(..packets) {
            count += packet.count;
            end = packet.bytes;
        }
        let body = self.payload[self.start..end].to_vec();
        if self.packets.is_empty() {
            *self = Self::default();
        } else {
            // A separator stands before the next packet.
            self.start = end + 1;
            self.compact();
        }
        (body, count)
    }

    fn compact(&mut self) {
        if self.start > self.payload.len() / 2 {
            self.payload.drain(..self.start);
            for packet in &mut self.packets {
                packet.bytes -= self.start;
            }
            self.start = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_taken_in_order_and_not_too_many_at_once() {
        let mut pending = Pending::default();
        for number in 0..40 {
            pending.send(&Packet::Message(format!("{number}").as_bytes()));
            pending.end_message(3);
        }
        assert!(pending.is_full());
        let mut all = Vec::new();
        let mut counts = Vec::new();
        while !pending.is_empty() {
            assert!(pending.has_message());
            let (body, count) = pending.take();
            counts.push((count.messages, count.bytes));
            all.extend(
                String::from_utf8(body)
                    .unwrap()
                    .split('\x1e')
                    .map(str::to_owned),
            );
        }
        assert_eq!(counts, [(16, 48), (16, 48), (8, 24)]);
        let expected: Vec<_> = (0..40).map(|number| format!("4{number}")).collect();
        assert_eq!(all, expected);
        assert_eq!(pending.bytes(), 0);
    }

    #[test]
    fn the_end_is_told_by_itself() {
        let mut pending = Pending::default();
        pending.send(&Packet::Message(b"last"));
        pending.send(&Packet::Close);
        assert_eq!(pending.take().0, b"4last");
        assert_eq!(pending.take().0, b"1");
        assert!(pending.is_empty());
    }
}
