//! Tests with the test vectors that all kits share.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::feed::{Encoding, FeedFormat, Heading, Kind, Payload, Received};
use crate::latency::round_latency;
use crate::sequence::{Sequence, Verdict, Verdicts};
use crate::serving::FeedSettings;

fn kits() -> &'static Path {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the kit lies among kits")
}

/// Returns the test vectors of one kind, of which there is at least one.
fn cases(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(kits().join("vectors.json")).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let cases = vectors[name].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Numbers that are too large for JSON are stored as text.
fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| text(value).parse().unwrap())
}

fn format_of(case: &Value) -> FeedFormat {
    let kind = match text(&case["kind"]) {
        "hello" => Kind::Hello,
        "sequence" => Kind::Sequence,
        "clock" => Kind::Clock,
        "stocks" => Kind::Stocks,
        kind => panic!("there is no {kind}"),
    };
    match text(&case["encoding"]) {
        "json" => FeedFormat::new(kind, Encoding::Json),
        "binary" => FeedFormat::new(kind, Encoding::Binary),
        encoding => panic!("there is no {encoding}"),
    }
}

fn message_of(case: &Value) -> Payload {
    if let Some(text) = case["text"].as_str() {
        return Payload::Text(text.to_owned());
    }
    let digits = text(&case["hex"]);
    let places = (0..digits.len()).step_by(2);
    let bytes = places.map(|place| u8::from_str_radix(&digits[place..place + 2], 16).unwrap());
    Payload::Binary(bytes.collect())
}

fn received(message: &Payload) -> Received<'_> {
    match message {
        Payload::Text(text) => Received::Text(text),
        Payload::Binary(bytes) => Received::Binary(bytes),
    }
}

#[test]
fn a_message_is_encoded_and_decoded() {
    for case in cases("feeds") {
        let format = format_of(&case);
        let (message_number, time_ns) = (number(&case["number"]), number(&case["time_ns"]));
        let settings = FeedSettings {
            stocks: number(&case["stocks"]),
            stocks_file: (format.kind == Kind::Stocks).then(|| kits().join("stocks.csv")),
            ..FeedSettings::new(format)
        };
        let stocks = settings.stocks_of_message(message_number).unwrap();
        let message = message_of(&case);
        assert_eq!(format.encode(message_number, time_ns, &stocks), message);
        let heading = Heading {
            number: format.has_number().then_some(message_number),
            time_ns: format.has_instant().then_some(time_ns),
        };
        assert_eq!(format.decode(received(&message)), Some(heading), "{case}");
    }
}

#[test]
fn a_message_that_is_not_of_the_feed_is_wrong() {
    for case in cases("wrong") {
        let message = message_of(&case);
        assert_eq!(format_of(&case).decode(received(&message)), None, "{case}");
    }
}

#[test]
fn numbers_get_their_verdicts() {
    for case in cases("sequences") {
        let mut sequence = Sequence::new();
        let numbers = case["numbers"].as_array().unwrap().iter().map(number);
        let verdicts: Vec<_> = numbers.map(|number| sequence.check(number)).collect();
        let expected = case["verdicts"].as_array().unwrap().iter();
        let expected: Vec<_> = expected
            .map(|verdict| match text(verdict) {
                "in_order" => Verdict::InOrder,
                "gap" => Verdict::Gap,
                "duplicate" => Verdict::Duplicate,
                "reordered" => Verdict::Reordered,
                "unexpected" => Verdict::Unexpected,
                verdict => panic!("there is no {verdict}"),
            })
            .collect();
        assert_eq!(verdicts, expected, "{}", case["name"]);
        let counts = &case["counts"];
        let expected = Verdicts {
            in_order: number(&counts["in_order"]),
            gaps: number(&counts["gaps"]),
            missing: number(&counts["missing"]),
            duplicates: number(&counts["duplicates"]),
            reordered: number(&counts["reordered"]),
            unexpected: number(&counts["unexpected"]),
        };
        assert_eq!(sequence.verdicts, expected, "{}", case["name"]);
        let printed: Value = serde_json::from_str(&sequence.verdicts.to_json()).unwrap();
        assert_eq!(&printed, counts);
    }
}

#[test]
fn latencies_are_rounded() {
    for case in cases("roundings") {
        assert_eq!(round_latency(number(&case[0])), number(&case[1]), "{case}");
    }
}
