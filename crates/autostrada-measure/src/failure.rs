//! Failures by kind, with the number and one example of each.

use crate::Nanos;

/// Maximum length of an example, in bytes of UTF-8.
pub const EXAMPLE_BYTES_MAX: usize = 240;

/// The phase of a connection in which it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The TCP connection failed: refused, unreachable, or no port left.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The opening handshake was not answered as expected.
    Handshake,
    /// The connection broke while reading.
    Read,
    /// The connection broke while writing.
    Write,
    /// The peer violated the protocol.
    Protocol,
    /// A received message differs from the expected one.
    Mismatch,
    /// An expected event did not occur in time.
    Timeout,
    /// The peer closed the connection early.
    Close,
}

impl FailureKind {
    /// All kinds, in the order of a connection's phases.
    pub const ALL: [Self; 9] = [
        Self::Connect,
        Self::Tls,
        Self::Handshake,
        Self::Read,
        Self::Write,
        Self::Protocol,
        Self::Mismatch,
        Self::Timeout,
        Self::Close,
    ];

    /// Returns the name of the kind in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Handshake => "handshake",
            Self::Read => "read",
            Self::Write => "write",
            Self::Protocol => "protocol",
            Self::Mismatch => "mismatch",
            Self::Timeout => "timeout",
            Self::Close => "close",
        }
    }
}

/// The failures of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Number of failures.
    pub count: u64,
    /// Instant at which the first one was detected, in nanoseconds.
    pub first_at: Nanos,
    /// Description of the first one; a text that was cut to [`EXAMPLE_BYTES_MAX`] ends in "…".
    pub example: String,
}

/// Failures of all kinds, in constant memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    by_kind: [Option<Failure>; FailureKind::ALL.len()],
}

impl Failures {
    /// Counts a failure at the instant `at`; calls `example` only for the first one of its kind.
    pub fn record(&mut self, kind: FailureKind, at: Nanos, example: impl FnOnce() -> String) {
        match &mut self.by_kind[kind as usize] {
            Some(failure) => failure.count += 1,
            none => {
                *none = Some(Failure {
                    count: 1,
                    first_at: at,
                    example: truncate_example(example()),
                });
            }
        }
    }

    /// Adds the failures of another thread; keeps the earlier example.
    pub fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.by_kind.iter_mut().zip(&other.by_kind) {
            let Some(theirs) = theirs else { continue };
            match ours {
                None => *ours = Some(theirs.clone()),
                Some(ours) => {
                    ours.count += theirs.count;
                    let (first_at, example) = (ours.first_at, &ours.example);
                    // Of two examples at the same instant, the smaller text is kept, so that the
                    // result does not depend on the order of merging.
                    if (theirs.first_at, &theirs.example) < (first_at, example) {
                        ours.first_at = theirs.first_at;
                        ours.example.clone_from(&theirs.example);
                    }
                }
            }
        }
    }

    /// Returns the kinds that occurred, in the order of a connection's phases.
    pub fn iter(&self) -> impl Iterator<Item = (FailureKind, &Failure)> {
        FailureKind::ALL
            .into_iter()
            .zip(&self.by_kind)
            .filter_map(|(kind, failure)| Some((kind, failure.as_ref()?)))
    }

    /// Returns the number of failures of all kinds.
    pub fn count(&self) -> u64 {
        self.iter().map(|(_, failure)| failure.count).sum()
    }
}

/// Cuts a long text at a character boundary, and appends "…".
fn truncate_example(mut text: String) -> String {
    if text.len() > EXAMPLE_BYTES_MAX {
        let room = EXAMPLE_BYTES_MAX - '…'.len_utf8();
        let end = (0..=room).rfind(|&end| text.is_char_boundary(end));
        text.truncate(end.expect("0 is a boundary"));
        text.push('…');
        // Frees the memory of a long text, which a peer may have sent.
        text.shrink_to_fit();
    }
    text
}
