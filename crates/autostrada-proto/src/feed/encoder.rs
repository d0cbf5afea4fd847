//! Encoder of the messages of a feed.

use std::io::Write;

use super::{FeedEncoding, FeedKind, GREETING, Stock};
use crate::frame::Opcode;

/// Encodes the messages of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedEncoder {
    pub kind: FeedKind,
    pub encoding: FeedEncoding,
}

impl FeedEncoder {
    /// The kind of WebSocket message that carries this feed.
    pub fn opcode(self) -> Opcode {
        match self.encoding {
            FeedEncoding::Json => Opcode::Text,
            FeedEncoding::Binary => Opcode::Binary,
        }
    }

    /// Appends the payload of a message to `out`.
    ///
    /// `stocks` are the records of a message of [`FeedKind::Stocks`]; other kinds ignore them.
    /// Panics if the encoding is binary and there are 2^32 records or more.
    pub fn encode(self, number: u64, time_ns: u64, stocks: &[Stock], out: &mut Vec<u8>) {
        match (self.kind, self.encoding) {
            (FeedKind::Hello, _) => out.extend_from_slice(GREETING),
            (FeedKind::Sequence, encoding) => encode_number(number, encoding, out),
            (FeedKind::Clock, encoding) => encode_number(time_ns, encoding, out),
            (FeedKind::Stocks, FeedEncoding::Json) => {
                write!(
                    out,
                    "{{\"sequence\":{number},\"time_ns\":{time_ns},\"stocks\":"
                )
                .expect("a vector takes all bytes");
                for (index, stock) in stocks.iter().enumerate() {
                    out.push(if index == 0 { b'[' } else { b',' });
                    stock.encode_json(out);
                }
                out.extend_from_slice(if stocks.is_empty() { b"[]}" } else { b"]}" });
            }
            (FeedKind::Stocks, FeedEncoding::Binary) => {
                let count = u32::try_from(stocks.len()).expect("fewer than 2^32 records");
                out.extend_from_slice(&number.to_be_bytes());
                out.extend_from_slice(&time_ns.to_be_bytes());
                out.extend_from_slice(&count.to_be_bytes());
                for stock in stocks {
                    stock.encode_binary(out);
                }
            }
        }
    }
}

fn encode_number(number: u64, encoding: FeedEncoding, out: &mut Vec<u8>) {
    match encoding {
        FeedEncoding::Json => write!(out, "{number}").expect("a vector takes all bytes"),
        FeedEncoding::Binary => out.extend_from_slice(&number.to_be_bytes()),
    }
}
