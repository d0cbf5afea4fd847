//! The result type of the decoders.

/// The result of decoding the front of the received bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoded<E> {
    /// The event is not complete. Call again when the input holds at least `needed_bytes` in total.
    Incomplete { needed_bytes: usize },
    /// The event is complete. Remove `consumed_bytes` from the front of the input.
    Event { consumed_bytes: usize, event: E },
}
