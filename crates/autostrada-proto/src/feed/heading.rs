//! Decoder of the heading of feed messages: their number and their time.

use super::{FeedEncoding, FeedError, FeedKind, GREETING, Stock, WORD_BYTES};

/// The JSON before the number, the time and the records, and after the records.
const BEFORE_NUMBER: &[u8] = b"{\"sequence\":";
const BEFORE_TIME: &[u8] = b",\"time_ns\":";
const BEFORE_RECORDS: &[u8] = b",\"stocks\":[";
const FIRST_RECORD: &[u8] = b"{\"open\":";
const AFTER_RECORDS: &[u8] = b"]}";

/// Number of digits of the largest 64-bit number.
const DIGITS_MAX: usize = 20;

/// Number and time of a message. A field that the kind of feed does not have is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heading {
    pub number: Option<u64>,
    /// Time that the sender wrote into the message, in nanoseconds of the sender's clock.
    pub time_ns: Option<u64>,
}

/// Decodes the heading of a message.
///
/// The records of a stocks message are not decoded. In the binary encoding their
/// total length is checked, in JSON only their first and last bytes.
#[inline]
pub fn read_heading(
    kind: FeedKind,
    encoding: FeedEncoding,
    payload: &[u8],
) -> Result<Heading, FeedError> {
    match (kind, encoding) {
        (FeedKind::Hello, _) if payload == GREETING => Ok(Heading::default()),
        (FeedKind::Hello, _) => Err(FeedError::Greeting),
        (FeedKind::Sequence, encoding) => Ok(Heading {
            number: Some(read_number(encoding, payload)?),
            time_ns: None,
        }),
        (FeedKind::Clock, encoding) => Ok(Heading {
            number: None,
            time_ns: Some(read_number(encoding, payload)?),
        }),
        (FeedKind::Stocks, FeedEncoding::Json) => read_json_stocks(payload),
        (FeedKind::Stocks, FeedEncoding::Binary) => read_binary_stocks(payload),
    }
}

/// Decodes a payload that is a single number.
#[inline]
fn read_number(encoding: FeedEncoding, payload: &[u8]) -> Result<u64, FeedError> {
    match encoding {
        FeedEncoding::Binary => {
            let word = payload.try_into().map_err(|_| FeedError::Length)?;
            Ok(u64::from_be_bytes(word))
        }
        FeedEncoding::Json => match split_digits(payload) {
            Some((number, [])) => Ok(number),
            _ => Err(FeedError::Number),
        },
    }
}

fn read_binary_stocks(payload: &[u8]) -> Result<Heading, FeedError> {
    let split = || {
        let (number, rest) = payload.split_first_chunk::<WORD_BYTES>()?;
        let (time_ns, rest) = rest.split_first_chunk::<WORD_BYTES>()?;
        let (count, records) = rest.split_first_chunk::<4>()?;
        Some((number, time_ns, count, records))
    };
    let (number, time_ns, count, records) = split().ok_or(FeedError::Length)?;
    let records_bytes = u64::from(u32::from_be_bytes(*count)) * Stock::BINARY_BYTES as u64;
    if records.len() as u64 != records_bytes {
        return Err(FeedError::Length);
    }
    Ok(Heading {
        number: Some(u64::from_be_bytes(*number)),
        time_ns: Some(u64::from_be_bytes(*time_ns)),
    })
}

fn read_json_stocks(payload: &[u8]) -> Result<Heading, FeedError> {
    let split = || {
        let (number, rest) = split_digits(payload.strip_prefix(BEFORE_NUMBER)?)?;
        let (time_ns, rest) = split_digits(rest.strip_prefix(BEFORE_TIME)?)?;
        Some((number, time_ns, rest.strip_prefix(BEFORE_RECORDS)?))
    };
    let (number, time_ns, rest) = split().ok_or(FeedError::Heading)?;
    let records = rest.strip_suffix(AFTER_RECORDS).ok_or(FeedError::Records)?;
    let are_records = records.starts_with(FIRST_RECORD) && records.ends_with(b"}");
    if !are_records && !records.is_empty() {
        return Err(FeedError::Records);
    }
    Ok(Heading {
        number: Some(number),
        time_ns: Some(time_ns),
    })
}

/// Splits a number off the front: no sign, no leading zero, below 2^64.
#[inline]
fn split_digits(input: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    let mut count = 0;
    while let Some(digit) = input.get(count).filter(|byte| byte.is_ascii_digit()) {
        if count == DIGITS_MAX {
            return None;
        }
        number = number
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
        count += 1;
    }
    let has_leading_zero = count > 1 && input[0] == b'0';
    (count > 0 && !has_leading_zero).then_some((number, &input[count..]))
}
