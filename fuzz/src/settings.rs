//! Settings at the front of an input: choices of the target, the limit and the split.

/// Length of the settings.
const SETTINGS_BYTES: usize = 4;

/// The limits that an input can choose from.
const LIMITS_BYTES: [usize; 8] = [0, 1, 125, 300, 1_000, 4_096, 20_000, 100_000];

/// Settings with which the bytes of an input are decoded.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Role, extension and kind; each target uses some of these bits.
    pub choices: u8,
    /// The limit of the endpoint, in bytes.
    pub limit_bytes: usize,
    /// Determines how the bytes are split.
    pub cuts: u16,
}

impl Settings {
    /// Splits the settings off the front of an input; returns `None` if it is too short.
    pub fn split(input: &[u8]) -> Option<(Self, &[u8])> {
        let (&[choices, limit, cuts @ ..], rest) = input.split_first_chunk::<SETTINGS_BYTES>()?;
        let settings = Self {
            choices,
            limit_bytes: LIMITS_BYTES[usize::from(limit) % LIMITS_BYTES.len()],
            cuts: u16::from_le_bytes(cuts),
        };
        Some((settings, rest))
    }

    /// Whether a bit of the choices is set.
    pub fn has(self, bit: u8) -> bool {
        self.choices >> bit & 1 == 1
    }
}
