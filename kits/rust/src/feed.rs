//! Encodes and decodes the messages of a feed: `docs/contract.md`, section 7.

use std::fmt::Write;

use crate::variables::Environment;

const GREETING: &str = "hello world";
const NUMBER_END: u64 = 1 << 53;
const TIME_NS_END: u64 = 1 << 63;
const HEAD_BYTES: usize = 8 + 8 + 4;
const RECORD_BYTES: usize = 5 * 8;
const CSV_HEAD: &str = "date,open,high,low,close,volume";

/// A received message. A text is valid UTF-8: docs/contract.md, clause 3.9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
}

impl<'a> Received<'a> {
    /// Returns the payload if the message is text.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Binary(_) => None,
        }
    }

    pub fn payload(self) -> &'a [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(payload) => payload,
        }
    }
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    Text(String),
    Binary(Vec<u8>),
}

impl Payload {
    pub fn byte_count(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Hello,
    Sequence,
    Clock,
    Stocks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Json,
    Binary,
}

/// One stock record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stock {
    /// Open, high, low and close.
    prices: [f64; 4],
    volume: u64,
}

/// The sequence number and the time in a message; `None` if its kind has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heading {
    pub number: Option<u64>,
    pub time_ns: Option<u64>,
}

/// The kind and the encoding of a feed's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedFormat {
    pub kind: Kind,
    encoding: Encoding,
}

impl FeedFormat {
    pub fn new(kind: Kind, encoding: Encoding) -> Self {
        Self { kind, encoding }
    }

    /// Reads the variables of a feed; returns `None` if `FEED` is not set.
    pub fn read(environment: &Environment) -> Result<Option<Self>, String> {
        if !environment.has("FEED") {
            return Ok(None);
        }
        let kinds = [
            ("hello", Kind::Hello),
            ("sequence", Kind::Sequence),
            ("clock", Kind::Clock),
            ("stocks", Kind::Stocks),
        ];
        let encodings = [("json", Encoding::Json), ("binary", Encoding::Binary)];
        Ok(Some(Self {
            kind: environment.read_choice("FEED", &kinds)?,
            encoding: environment.read_choice("ENCODING", &encodings)?,
        }))
    }

    /// Returns whether a message contains its sequence number.
    pub fn has_number(self) -> bool {
        matches!(self.kind, Kind::Sequence | Kind::Stocks)
    }

    /// Returns whether a message contains a time.
    pub fn has_instant(self) -> bool {
        matches!(self.kind, Kind::Clock | Kind::Stocks)
    }

    /// Returns an encoded message. Only messages of kind stocks use the records.
    pub fn encode(self, number: u64, time_ns: u64, stocks: &[Stock]) -> Payload {
        let value = match self.kind {
            Kind::Sequence => number,
            _ => time_ns,
        };
        match (self.encoding, self.kind) {
            (Encoding::Json, Kind::Hello) => Payload::Text(GREETING.to_owned()),
            (Encoding::Json, Kind::Stocks) => Payload::Text(stocks_json(number, time_ns, stocks)),
            (Encoding::Json, _) => Payload::Text(value.to_string()),
            (Encoding::Binary, Kind::Hello) => Payload::Binary(GREETING.into()),
            (Encoding::Binary, Kind::Stocks) => {
                Payload::Binary(stocks_binary(number, time_ns, stocks))
            }
            (Encoding::Binary, _) => Payload::Binary(value.to_be_bytes().to_vec()),
        }
    }

    /// Returns the message's number and time, or `None` if it is not a message of this feed.
    pub fn decode(self, message: Received) -> Option<Heading> {
        type Decode = fn(&[u8]) -> Option<u64>;
        let (payload, decode_value): (_, Decode) = match (self.encoding, message) {
            (Encoding::Json, Received::Text(text)) => (text.as_bytes(), decode_digits),
            (Encoding::Binary, Received::Binary(payload)) => (payload, decode_word),
            _ => return None,
        };
        let heading = match (self.kind, self.encoding) {
            (Kind::Hello, _) => (payload == GREETING.as_bytes()).then(Heading::default),
            (Kind::Sequence, _) => Some(Heading {
                number: Some(decode_value(payload)?),
                time_ns: None,
            }),
            (Kind::Clock, _) => Some(Heading {
                number: None,
                time_ns: Some(decode_value(payload)?),
            }),
            (Kind::Stocks, Encoding::Json) => decode_stocks_json(payload),
            (Kind::Stocks, Encoding::Binary) => decode_stocks_binary(payload),
        };
        heading.filter(|heading| {
            heading.number.is_none_or(|number| number < NUMBER_END)
                && heading.time_ns.is_none_or(|time_ns| time_ns < TIME_NS_END)
        })
    }
}

/// Parses the content of a CSV file; the error is the reason why it is malformed.
pub fn parse_stocks(text: &str) -> Result<Vec<Stock>, String> {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    match lines.split_once('\n') {
        Some((CSV_HEAD, records)) => records.split('\n').map(parse_record).collect(),
        _ => Err(format!(
            "must have the line {CSV_HEAD} at its head, and records"
        )),
    }
}

fn parse_record(line: &str) -> Result<Stock, String> {
    let fields: Vec<_> = line.split(',').collect();
    let stock = match fields[..] {
        [_date, open, high, low, close, volume] => {
            let prices = [open, high, low, close].map(parse_price);
            parse_digits(volume, 15).and_then(|volume| {
                Some(Stock {
                    prices: [prices[0]?, prices[1]?, prices[2]?, prices[3]?],
                    volume,
                })
            })
        }
        _ => None,
    };
    stock.ok_or_else(|| format!("has a line that is no record: {line:?}"))
}

fn parse_price(field: &str) -> Option<f64> {
    let (whole, cents) = field.split_once('.')?;
    parse_digits(whole, 7)?;
    parse_digits(cents, 2).filter(|_| cents.len() == 2)?;
    field.parse().ok()
}

fn parse_digits(field: &str, length_max: usize) -> Option<u64> {
    let is_number = (1..=length_max).contains(&field.len()) && field.bytes().all(is_digit);
    is_number.then(|| field.parse().ok()).flatten()
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn stocks_json(number: u64, time_ns: u64, stocks: &[Stock]) -> String {
    let mut text = format!(r#"{{"sequence":{number},"time_ns":{time_ns},"stocks":["#);
    for (index, Stock { prices, volume }) in stocks.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let [open, high, low, close] = prices;
        write!(
            text,
            r#"{comma}{{"open":{open:.2},"high":{high:.2},"low":{low:.2},"close":{close:.2},"volume":{volume}}}"#
        )
        .expect("a string takes whatever is written");
    }
    text.push_str("]}");
    text
}

fn stocks_binary(number: u64, time_ns: u64, stocks: &[Stock]) -> Vec<u8> {
    let count = u32::try_from(stocks.len()).expect("there are at most a million");
    let mut bytes = Vec::with_capacity(HEAD_BYTES + stocks.len() * RECORD_BYTES);
    bytes.extend(number.to_be_bytes());
    bytes.extend(time_ns.to_be_bytes());
    bytes.extend(count.to_be_bytes());
    for Stock { prices, volume } in stocks {
        for price in prices {
            bytes.extend(price.to_be_bytes());
        }
        bytes.extend(volume.to_be_bytes());
    }
    bytes
}

fn decode_digits(payload: &[u8]) -> Option<u64> {
    match split_digits(payload)? {
        (value, []) => Some(value),
        _ => None,
    }
}

fn decode_word(payload: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(payload.try_into().ok()?))
}

fn decode_stocks_json(payload: &[u8]) -> Option<Heading> {
    let (number, rest) = split_digits(payload.strip_prefix(br#"{"sequence":"#)?)?;
    let (time_ns, rest) = split_digits(rest.strip_prefix(br#","time_ns":"#)?)?;
    let records = rest.strip_prefix(br#","stocks":["#)?;
    records.ends_with(b"]}").then_some(Heading {
        number: Some(number),
        time_ns: Some(time_ns),
    })
}

fn decode_stocks_binary(payload: &[u8]) -> Option<Heading> {
    let (head, records) = payload.split_at_checked(HEAD_BYTES)?;
    let count = u32::from_be_bytes(head[16..].try_into().ok()?);
    let is_whole = records.len() as u64 == u64::from(count) * RECORD_BYTES as u64;
    is_whole.then_some(Heading {
        number: Some(decode_word(&head[..8])?),
        time_ns: Some(decode_word(&head[8..16])?),
    })
}

/// Splits a number without leading zeros off the front.
fn split_digits(payload: &[u8]) -> Option<(u64, &[u8])> {
    let length = payload.iter().take_while(|byte| is_digit(**byte)).count();
    let (digits, rest) = payload.split_at(length);
    if digits.starts_with(b"0") && length > 1 {
        return None;
    }
    let digits = str::from_utf8(digits).ok()?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_file_of_stocks_is_an_error() {
        let record = "2001-01-01,100.00,104.50,98.25,103.10,82000000";
        assert_eq!(
            parse_stocks(&format!("{CSV_HEAD}\n{record}\n"))
                .unwrap()
                .len(),
            1
        );
        for text in [
            "",
            CSV_HEAD,
            &format!("{CSV_HEAD}\n"),
            record,
            &format!("{CSV_HEAD}\n{record}\n\n"),
            &format!("{CSV_HEAD}\r\n{record}\r\n"),
            &format!("{CSV_HEAD}\n2001-01-01,100.0,104.50,98.25,103.10,82000000"),
            &format!("{CSV_HEAD}\n2001-01-01,12345678.00,104.50,98.25,103.10,82000000"),
            &format!("{CSV_HEAD}\n2001-01-01,100.00,104.50,98.25,103.10,-1"),
            &format!("{CSV_HEAD}\n2001-01-01,100.00,104.50,98.25,103.10,1000000000000000"),
            &format!("{CSV_HEAD}\n{record},1"),
        ] {
            assert!(parse_stocks(text).is_err(), "{text:?}");
        }
    }
}
