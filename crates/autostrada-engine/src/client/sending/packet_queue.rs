//! The queue of long-polling packets between two requests.

use std::collections::VecDeque;

/// Memory overhead of a queued packet.
const PACKET_BYTES: usize = 64;

/// The queue of packets that wait for the next request.
#[derive(Debug, Default)]
pub struct PacketQueue {
    packets: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl PacketQueue {
    /// Appends a packet.
    pub fn push(&mut self, packet: Vec<u8>) {
        self.bytes += packet.len() + PACKET_BYTES;
        self.packets.push_back(packet);
    }

    /// Removes the first packet, or returns `None` if it is longer than `bytes_max` or the queue is
    /// empty.
    pub fn pop(&mut self, bytes_max: u64) -> Option<Vec<u8>> {
        let is_short = |packet: &&Vec<u8>| packet.len() as u64 <= bytes_max;
        self.packets.front().filter(is_short)?;
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.len() + PACKET_BYTES;
        Some(packet)
    }

    /// Returns the memory of all queued packets, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether no packet is queued.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_leave_in_their_order_if_there_is_room() {
        let mut queue = PacketQueue::default();
        queue.push(b"first".to_vec());
        queue.push(b"2".to_vec());
        assert_eq!(queue.bytes(), 6 + 2 * PACKET_BYTES);
        assert_eq!(queue.pop(4), None);
        assert_eq!(queue.pop(5).unwrap(), b"first");
        assert_eq!(queue.pop(5).unwrap(), b"2");
        assert!(queue.is_empty());
        assert_eq!(queue.bytes(), 0);
    }
}
