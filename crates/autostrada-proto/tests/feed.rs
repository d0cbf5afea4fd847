//! Encoding of feed messages as in `docs/format.md`, and decoding of their headings.

use autostrada_proto::feed::{
    FeedEncoder, FeedEncoding, FeedError, FeedKind, Heading, Stock, read_heading, stocks_of_message,
};
use autostrada_proto::frame::Opcode;
use proptest::prelude::*;

const KINDS: [FeedKind; 4] = [
    FeedKind::Hello,
    FeedKind::Sequence,
    FeedKind::Clock,
    FeedKind::Stocks,
];
const ENCODINGS: [FeedEncoding; 2] = [FeedEncoding::Json, FeedEncoding::Binary];
const STOCK: Stock = Stock {
    open: 10.0,
    high: 12.5,
    low: 9.25,
    close: 11.0,
    volume: 700,
};

fn encode(
    kind: FeedKind,
    encoding: FeedEncoding,
    number: u64,
    time_ns: u64,
    stocks: &[Stock],
) -> Vec<u8> {
    let mut payload = Vec::new();
    FeedEncoder { kind, encoding }.encode(number, time_ns, stocks, &mut payload);
    payload
}

fn heading(number: Option<u64>, time_ns: Option<u64>) -> Heading {
    Heading { number, time_ns }
}

/// The expected heading of a message.
fn expected(kind: FeedKind, number: u64, time_ns: u64) -> Heading {
    match kind {
        FeedKind::Hello => heading(None, None),
        FeedKind::Sequence => heading(Some(number), None),
        FeedKind::Clock => heading(None, Some(time_ns)),
        FeedKind::Stocks => heading(Some(number), Some(time_ns)),
    }
}

#[test]
fn json_is_as_documented() {
    let json = |kind| {
        let bytes = encode(kind, FeedEncoding::Json, 42, 1_234_567_890_123, &[STOCK; 2]);
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(json(FeedKind::Hello), "hello world");
    assert_eq!(json(FeedKind::Sequence), "42");
    assert_eq!(json(FeedKind::Clock), "1234567890123");
    let record = r#"{"open":10.00,"high":12.50,"low":9.25,"close":11.00,"volume":700}"#;
    assert_eq!(
        json(FeedKind::Stocks),
        format!(r#"{{"sequence":42,"time_ns":1234567890123,"stocks":[{record},{record}]}}"#)
    );
}

#[test]
fn binary_is_as_documented() {
    let binary = |kind| encode(kind, FeedEncoding::Binary, 42, 7, &[STOCK]);
    assert_eq!(binary(FeedKind::Hello), b"hello world");
    assert_eq!(binary(FeedKind::Sequence), 42_u64.to_be_bytes());
    assert_eq!(binary(FeedKind::Clock), 7_u64.to_be_bytes());
    let mut stocks = [42_u64.to_be_bytes(), 7_u64.to_be_bytes()].concat();
    stocks.extend([0, 0, 0, 1]);
    stocks.extend([10.0_f64, 12.5, 9.25, 11.0].map(f64::to_be_bytes).concat());
    stocks.extend(700_u64.to_be_bytes());
    assert_eq!(binary(FeedKind::Stocks), stocks);
}

#[test]
fn json_is_sent_in_text_messages() {
    let opcodes = ENCODINGS.map(|encoding| {
        let kind = FeedKind::Clock;
        FeedEncoder { kind, encoding }.opcode()
    });
    assert_eq!(opcodes, [Opcode::Text, Opcode::Binary]);
}

#[test]
fn another_greeting_or_number_is_an_error() {
    let greetings = ["", "hello", "hello world ", "Hello world"];
    let numbers = [
        "",
        " ",
        "-1",
        "+1",
        "01",
        "00",
        "1 ",
        " 1",
        "1.0",
        "1e3",
        "0x1",
        "١",
        "18446744073709551616",
        "100000000000000000000",
        "000000000000000000001",
    ];
    let (json, binary) = (FeedEncoding::Json, FeedEncoding::Binary);
    let cases: [(FeedKind, FeedEncoding, &[&str], FeedError); 4] = [
        (FeedKind::Hello, json, &greetings, FeedError::Greeting),
        (FeedKind::Hello, binary, &greetings, FeedError::Greeting),
        (FeedKind::Sequence, json, &numbers, FeedError::Number),
        (FeedKind::Clock, json, &numbers, FeedError::Number),
    ];
    for (kind, encoding, texts, error) in cases {
        for text in texts {
            let read = read_heading(kind, encoding, text.as_bytes());
            assert_eq!(read, Err(error), "{text:?}");
        }
    }
}

#[test]
fn stocks_with_a_malformed_beginning_or_end_are_an_error() {
    let begin = r#"{"sequence":1,"time_ns":2,"stocks":["#;
    let headings = [
        r"",
        r"{}",
        r#"{"sequence":1}"#,
        r#"{"sequence": 1,"time_ns":2,"stocks":[]}"#,
        r#"{"sequence":01,"time_ns":2,"stocks":[]}"#,
        r#"{"time_ns":2,"sequence":1,"stocks":[]}"#,
        r#"{"sequence":1,"time_ns":"2","stocks":[]}"#,
        r#"{"sequence":1,"time_ns":2,"stock":[]}"#,
        r#" {"sequence":1,"time_ns":2,"stocks":[]}"#,
    ]
    .map(|text| (text.to_owned(), FeedError::Heading));
    let records = [
        "",
        "]",
        "}",
        "]} ",
        "1]}",
        "{]}",
        "}]}",
        r#"{"open":1.0]}"#,
        r#"{"low":1.0}]}"#,
    ]
    .map(|records| (format!("{begin}{records}"), FeedError::Records));
    for (text, error) in headings.into_iter().chain(records) {
        let read = read_heading(FeedKind::Stocks, FeedEncoding::Json, text.as_bytes());
        assert_eq!(read, Err(error), "{text}");
    }
}

#[test]
fn a_count_of_records_beyond_the_payload_is_an_error() {
    let mut payload = encode(FeedKind::Stocks, FeedEncoding::Binary, 1, 2, &[STOCK]);
    payload[16..20].fill(0xff);
    let read = read_heading(FeedKind::Stocks, FeedEncoding::Binary, &payload);
    assert_eq!(read, Err(FeedError::Length));
}

#[test]
fn records_are_a_function_of_the_number_and_plausible() {
    let stocks = |number| {
        let mut stocks = Vec::new();
        stocks_of_message(number, 100, &mut stocks);
        stocks
    };
    assert_eq!(stocks(7), stocks(7));
    assert_ne!(stocks(7), stocks(8));
    assert_ne!(stocks(7)[0], stocks(7)[1]);
    for stock in stocks(u64::MAX) {
        assert!(0.0 < stock.low && stock.low <= stock.open);
        assert!(stock.open <= stock.close && stock.close <= stock.high);
    }
}

/// A number of any magnitude, the smallest and the largest included.
fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]
}

proptest! {
    #[test]
    fn headings_are_decoded_as_they_were_encoded(
        number in any_number(),
        time_ns in any_number(),
        count in 0..20_usize,
    ) {
        let mut stocks = Vec::new();
        stocks_of_message(number, count, &mut stocks);
        for kind in KINDS {
            for encoding in ENCODINGS {
                let payload = encode(kind, encoding, number, time_ns, &stocks);
                let read = read_heading(kind, encoding, &payload);
                prop_assert_eq!(read, Ok(expected(kind, number, time_ns)));
            }
        }
    }

    #[test]
    fn stocks_in_json_are_valid_json(number in any::<u64>(), count in 0..20_usize) {
        let mut stocks = Vec::new();
        stocks_of_message(number, count, &mut stocks);
        let payload = encode(FeedKind::Stocks, FeedEncoding::Json, number, 5, &stocks);
        let value: serde_json::Value = serde_json::from_slice(&payload).unwrap();
        prop_assert_eq!(value["sequence"].as_u64(), Some(number));
        prop_assert_eq!(value["stocks"].as_array().unwrap().len(), count);
        for (read, stock) in value["stocks"].as_array().unwrap().iter().zip(&stocks) {
            prop_assert_eq!(read["high"].as_f64(), Some(stock.high));
            prop_assert_eq!(read["volume"].as_u64(), Some(stock.volume));
        }
    }

    #[test]
    fn truncation_is_an_error(number in any::<u64>(), cut in any::<prop::sample::Index>()) {
        let mut stocks = Vec::new();
        stocks_of_message(number, 3, &mut stocks);
        for encoding in ENCODINGS {
            let payload = encode(FeedKind::Stocks, encoding, number, 5, &stocks);
            let end = cut.index(payload.len());
            prop_assert!(read_heading(FeedKind::Stocks, encoding, &payload[..end]).is_err());
        }
    }
}
