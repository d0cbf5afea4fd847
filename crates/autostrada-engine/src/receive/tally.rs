//! What has been received, over all connections of one thread.

use autostrada_measure::Nanos;

/// Counts and the instants that belong to them.
#[derive(Debug, Default)]
pub struct Tally {
    /// Messages received, wrong ones included.
    pub messages: u64,
    /// Their payload bytes.
    pub bytes: u64,
    /// Messages whose type or content was not the one expected.
    pub wrong: u64,
    /// The first of them.
    pub wrong_example: Option<String>,
    /// Bytes read.
    pub wire_bytes: u64,
    /// In so many calls.
    pub read_calls: u64,
    /// The end of the first opening handshake.
    pub opened_ns: Option<Nanos>,
    /// The thread's CPU time then.
    pub opened_cpu_ns: Nanos,
    /// The last message.
    pub received_ns: Nanos,
    /// The thread's CPU time then.
    pub received_cpu_ns: Nanos,
}

/// How much of a wrong message is shown.
const EXAMPLE_BYTES: usize = 60;

impl Tally {
    /// Counts messages that are what was expected.
    pub fn count(&mut self, messages: u64, bytes: u64) {
        self.messages += messages;
        self.bytes += bytes;
    }

    /// Counts one message that is not.
    pub fn count_wrong(&mut self, kind: &str, payload: &[u8]) {
        self.count(1, payload.len() as u64);
        self.wrong += 1;
        self.wrong_example.get_or_insert_with(|| {
            let shown = &payload[..payload.len().min(EXAMPLE_BYTES)];
            format!(
                "{kind} of {} bytes, \"{}\"",
                payload.len(),
                shown.escape_ascii()
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_message_counts_and_the_first_is_kept() {
        let mut tally = Tally::default();
        tally.count(3, 33);
        tally.count_wrong("binary", b"\x00x");
        tally.count_wrong("text", b"other");
        assert_eq!((tally.messages, tally.bytes, tally.wrong), (5, 40, 2));
        assert_eq!(
            tally.wrong_example.as_deref(),
            Some("binary of 2 bytes, \"\\x00x\"")
        );
    }
}
