//! The records of a feed of stocks.

use std::io::Write;

/// The prices of one stock in one interval, and how many of it were traded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stock {
    pub open: f64,
    pub high: f64,
    pub low: f64,
    pub close: f64,
    pub volume: u64,
}

impl Stock {
    /// How many bytes a record takes in the binary encoding.
    pub(super) const BINARY_BYTES: usize = 5 * super::WORD_BYTES;

    /// Appends it as an object whose prices have two decimals, so that all languages write the same.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "prices are whole cents, and no stock costs 2^53 of them"
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

/// Appends the records of the message with this number to `stocks`: the same number makes the same.
///
/// Prices are whole cents, look irregular, and each record's lowest and highest bound the others.
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

/// Spreads the bits of a number over all of a word, as `SplitMix64` does.
fn scatter(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
