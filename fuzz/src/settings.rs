//! What stands before the bytes of the peer in an input: the terms of the connection, and its cuts.

/// How many bytes they take.
const SETTINGS_BYTES: usize = 4;

/// The bounds that an endpoint may have.
const LIMITS_BYTES: [usize; 8] = [0, 1, 125, 300, 1_000, 4_096, 20_000, 100_000];

/// The terms under which the bytes of an input are read.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Role, extension, kind: each target takes some of these bits.
    pub choices: u8,
    /// The bound of the endpoint.
    pub limit_bytes: usize,
    /// Where the bytes are cut.
    pub cuts: u16,
}

impl Settings {
    /// Splits the settings off the front of an input, unless it is too short.
    #[must_use]
    pub fn split(input: &[u8]) -> Option<(Self, &[u8])> {
        let (&[choices, limit, cuts @ ..], rest) = input.split_first_chunk::<SETTINGS_BYTES>()?;
        let settings = Self {
            choices,
            limit_bytes: LIMITS_BYTES[usize::from(limit) % LIMITS_BYTES.len()],
            cuts: u16::from_le_bytes(cuts),
        };
        Some((settings, rest))
    }

    /// One of the choices.
    #[must_use]
    pub fn has(self, bit: u8) -> bool {
        self.choices >> bit & 1 == 1
    }
}
