//! Agreement of the engine with `kits/vectors.json`, computed by an independent program.

use autostrada_measure::{NumberClass, Sequence, SequenceCounts};
use autostrada_proto::feed::{FeedEncoder, FeedEncoding, FeedKind, Heading, Stock, read_heading};
use serde_json::Value;

const VECTORS: &str = include_str!("../../../kits/vectors.json");
const STOCKS: &str = include_str!("../../../kits/stocks.csv");

fn cases(name: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let cases = vectors[name].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

fn word(case: &Value, name: &str) -> u64 {
    case[name].as_str().unwrap().parse().unwrap()
}

fn encoder(case: &Value) -> FeedEncoder {
    FeedEncoder {
        kind: match case["kind"].as_str().unwrap() {
            "hello" => FeedKind::Hello,
            "sequence" => FeedKind::Sequence,
            "clock" => FeedKind::Clock,
            _ => FeedKind::Stocks,
        },
        encoding: match case["encoding"].as_str().unwrap() {
            "json" => FeedEncoding::Json,
            _ => FeedEncoding::Binary,
        },
    }
}

fn payload(case: &Value) -> Vec<u8> {
    if let Some(text) = case["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = case["hex"].as_str().unwrap();
    let bytes = (0..hex.len()).step_by(2);
    bytes
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn stocks_of_file() -> Vec<Stock> {
    let lines = STOCKS.lines().skip(1);
    let stocks = lines.map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let price = |index: usize| fields[index].parse().unwrap();
        Stock {
            open: price(1),
            high: price(2),
            low: price(3),
            close: price(4),
            volume: fields[5].parse().unwrap(),
        }
    });
    stocks.collect()
}

#[test]
fn feed_messages_are_encoded_and_decoded_alike() {
    let rows = stocks_of_file();
    for case in cases("feeds") {
        let encoder = encoder(&case);
        let (number, time_ns) = (word(&case, "number"), word(&case, "time_ns"));
        let count = usize::try_from(case["stocks"].as_u64().unwrap()).unwrap();
        let first = usize::try_from(number % rows.len() as u64).unwrap();
        let stocks: Vec<Stock> = rows
            .iter()
            .cycle()
            .skip(first)
            .take(count)
            .copied()
            .collect();
        let mut written = Vec::new();
        encoder.encode(number, time_ns, &stocks, &mut written);
        assert_eq!(written, payload(&case), "{case}");
        let expected = match encoder.kind {
            FeedKind::Hello => (None, None),
            FeedKind::Sequence => (Some(number), None),
            FeedKind::Clock => (None, Some(time_ns)),
            FeedKind::Stocks => (Some(number), Some(time_ns)),
        };
        let Heading { number, time_ns } =
            read_heading(encoder.kind, encoder.encoding, &written).unwrap();
        assert_eq!((number, time_ns), expected, "{case}");
    }
}

#[test]
fn an_invalid_feed_message_is_an_error() {
    for case in cases("wrong") {
        let encoder = encoder(&case);
        let is_text = case["text"].is_string();
        if is_text != (encoder.encoding == FeedEncoding::Json) {
            continue; // Invalid because of its message type.
        }
        match read_heading(encoder.kind, encoder.encoding, &payload(&case)) {
            Err(_) => {}
            // The engine supports larger counts than contestants must.
            Ok(heading) => {
                let is_too_large = heading.number.is_some_and(|number| number >= 1 << 53)
                    || heading.time_ns.is_some_and(|time_ns| time_ns >= 1 << 63);
                assert!(is_too_large, "{case}");
            }
        }
    }
}

#[test]
fn sequence_numbers_have_the_same_classes() {
    for case in cases("sequences") {
        let mut sequence = Sequence::joining();
        let mut counts = SequenceCounts::default();
        let numbers = case["numbers"].as_array().unwrap();
        let classes: Vec<&str> = numbers
            .iter()
            .map(|number| {
                let class = sequence.classify(number.as_u64().unwrap());
                counts.count(class);
                match class {
                    NumberClass::InOrder => "in_order",
                    NumberClass::Gap { .. } => "gap",
                    NumberClass::Duplicate => "duplicate",
                    NumberClass::Reordered => "reordered",
                    NumberClass::Unexpected => "unexpected",
                }
            })
            .collect();
        assert_eq!(Value::from(classes), case["verdicts"], "{case}");
        let summed = serde_json::json!({
            "in_order": counts.in_order,
            "gaps": counts.gaps,
            "missing": counts.missing,
            "duplicates": counts.duplicates,
            "reordered": counts.reordered,
            "unexpected": counts.unexpected,
        });
        assert_eq!(summed, case["counts"], "{case}");
    }
}
