//! Packets of long-polling between two requests.

use std::collections::VecDeque;

/// What a packet takes in memory beside its bytes.
const PACKET_BYTES: usize = 64;

/// Packets that wait for the next request.
#[derive(Debug, Default)]
pub struct Waiting {
    packets: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Waiting {
    /// Appends one.
    pub fn push(&mut self, packet: Vec<u8>) {
        self.bytes += packet.len() + PACKET_BYTES;
        self.packets.push_back(packet);
    }

    /// Takes the first, if it has no more than so many bytes.
    pub fn pop(&mut self, bytes_max: u64) -> Option<Vec<u8>> {
        let is_short = |packet: &&Vec<u8>| packet.len() as u64 <= bytes_max;
        self.packets.front().filter(is_short)?;
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.len() + PACKET_BYTES;
        Some(packet)
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_leave_in_their_order_if_there_is_room() {
        let mut waiting = Waiting::default();
        waiting.push(b"first".to_vec());
        waiting.push(b"2".to_vec());
        assert_eq!(waiting.bytes(), 6 + 2 * PACKET_BYTES);
        assert_eq!(waiting.pop(4), None);
        assert_eq!(waiting.pop(5).unwrap(), b"first");
        assert_eq!(waiting.pop(5).unwrap(), b"2");
        assert!(waiting.is_empty());
        assert_eq!(waiting.bytes(), 0);
    }
}
