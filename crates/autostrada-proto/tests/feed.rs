//! Feed messages and their headings. What is in `kits/vectors.json` for all kits is tested with the
//! engine.

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
fn json_is_sent_in_text_messages() {
    let opcodes = ENCODINGS.map(|encoding| {
        let kind = FeedKind::Clock;
        FeedEncoder { kind, encoding }.opcode()
    });
    assert_eq!(opcodes, [Opcode::Text, Opcode::Binary]);
}

#[test]
fn a_number_in_any_other_notation_is_an_error() {
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
    for text in numbers {
        for kind in [FeedKind::Sequence, FeedKind::Clock] {
            let read = read_heading(kind, FeedEncoding::Json, text.as_bytes());
            assert_eq!(read, Err(FeedError::Number), "{text:?}");
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
