//! Records of the stocks feed.

use std::io::Write;

/// Prices (in dollars) and volume (in shares) of one stock in one interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stock {
    pub open: f64,
    pub high: f64,
    pub low: f64,
    pub close: f64,
    pub volume: u64,
}

impl Stock {
    /// Length of a record in the binary encoding.
    pub(super) const BINARY_BYTES: usize = 5 * super::WORD_BYTES;

    /// Appends the record as a JSON object.
    ///
    /// Prices have two decimals, so that the kits of all languages write the same bytes.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "prices are not negative and below 2^53 cents"
    )]
    pub(super) fn encode_json(&self, out: &mut Vec<u8>) {
        let mut name = "{\"open\"";
        for (price, next) in [
            (self.open, ",\"high\""),
            (self.high, ",\"low\""),
            (self.low, ",\"close\""),
            (self.close, ",\"volume\""),
        ] {
            let cents = (price * 100.0).round() as u64;
            write!(out, "{name}:{}.{:02}", cents / 100, cents % 100)
                .expect("a vector takes all bytes");
            name = next;
        }
        write!(out, "{name}:{}}}", self.volume).expect("a vector takes all bytes");
    }

    pub(super) fn encode_binary(&self, out: &mut Vec<u8>) {
        for price in [self.open, self.high, self.low, self.close] {
            out.extend_from_slice(&price.to_be_bytes());
        }
        out.extend_from_slice(&self.volume.to_be_bytes());
    }
}

/// Appends the `count` records of message `number` to `stocks`.
///
/// The records are a function of the number. Prices are pseudo-random whole
/// cents; `low` and `high` enclose `open` and `close`.
pub fn stocks_of_message(number: u64, count: usize, stocks: &mut Vec<Stock>) {
    stocks.extend((0..count as u64).map(|index| {
        let bits = scatter(scatter(number) ^ index);
        let [a, b, c, d, volume @ ..] = bits.to_be_bytes();
        let open_cents = 1_000 + u32::from(u16::from_be_bytes([a, b]));
        let close_cents = open_cents + u32::from(c % 64);
        let spread_cents = u32::from(d % 32);
        Stock {
            open: dollars(open_cents),
            high: dollars(close_cents + spread_cents),
            low: dollars(open_cents - spread_cents),
            close: dollars(close_cents),
            volume: u32::from_be_bytes(volume).into(),
        }
    }));
}

fn dollars(cents: u32) -> f64 {
    f64::from(cents) / 100.0
}

/// Hashes a number to 64 pseudo-random bits, as `SplitMix64` does.
fn scatter(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
