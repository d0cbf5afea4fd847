//! What a decoder says of the front of its input: part of something, or one event.

/// What stands at the front of the bytes received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoded<E> {
    /// Part of an event. Call again when the input holds `needed_bytes` in total.
    Incomplete { needed_bytes: usize },
    /// An event. Drop `consumed_bytes` from the front of the input.
    Event { consumed_bytes: usize, event: E },
}
