//! Failures by kind: how many, and one example of each.

use crate::Nanos;

/// The longest example that is kept, in bytes.
pub const EXAMPLE_BYTES_MAX: usize = 240;

/// In which part of a connection's life it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// No TCP connection: refused, unreachable, no port left.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The opening handshake was answered with something else.
    Handshake,
    /// The connection broke while reading.
    Read,
    /// The connection broke while writing.
    Write,
    /// The peer broke the protocol.
    Protocol,
    /// What came was not what was to come.
    Mismatch,
    /// What was to come did not, in time.
    Timeout,
    /// The peer closed the connection before its end.
    Close,
}

impl FailureKind {
    /// All kinds, in the order of a connection's life.
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

    /// Its name in documents.
    #[must_use]
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
    /// How many.
    pub count: u64,
    /// When the first one was noticed.
    pub first_at: Nanos,
    /// What was known of that one; longer texts end in "…".
    pub example: String,
}

/// All failures, in memory that does not grow with their number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    by_kind: [Option<Failure>; FailureKind::ALL.len()],
}

impl Failures {
    /// Counts a failure; the first of its kind is asked for an example.
    pub fn record(&mut self, kind: FailureKind, at: Nanos, example: impl FnOnce() -> String) {
        match &mut self.by_kind[kind as usize] {
            Some(failure) => failure.count += 1,
            none => {
                *none = Some(Failure {
                    count: 1,
                    first_at: at,
                    example: shortened(example()),
                });
            }
        }
    }

    /// Adds what another thread has counted; the earlier example is kept.
    pub fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.by_kind.iter_mut().zip(&other.by_kind) {
            let Some(theirs) = theirs else { continue };
            match ours {
                None => *ours = Some(theirs.clone()),
                Some(ours) => {
                    ours.count += theirs.count;
                    let (first_at, example) = (ours.first_at, &ours.example);
                    // Of two at the same instant, the lesser: threads merge in any order.
                    if (theirs.first_at, &theirs.example) < (first_at, example) {
                        ours.first_at = theirs.first_at;
                        ours.example.clone_from(&theirs.example);
                    }
                }
            }
        }
    }

    /// The kinds that occurred, in the order of a connection's life.
    pub fn iter(&self) -> impl Iterator<Item = (FailureKind, &Failure)> {
        FailureKind::ALL
            .into_iter()
            .zip(&self.by_kind)
            .filter_map(|(kind, failure)| Some((kind, failure.as_ref()?)))
    }

    /// Of all kinds together.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.iter().map(|(_, failure)| failure.count).sum()
    }
}

/// Cuts a text between two characters.
fn shortened(mut text: String) -> String {
    if text.len() > EXAMPLE_BYTES_MAX {
        let room = EXAMPLE_BYTES_MAX - '…'.len_utf8();
        let end = (0..=room).rfind(|&end| text.is_char_boundary(end));
        text.truncate(end.expect("0 is a boundary"));
        text.push('…');
        // A long reason of a hostile peer must not stay behind as capacity.
        text.shrink_to_fit();
    }
    text
}
