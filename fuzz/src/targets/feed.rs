//! Headings of feed messages.

use arbitrary::{Arbitrary, Unstructured};
use autostrada_proto::feed::{
    FeedEncoder, FeedEncoding, FeedKind, Heading, read_heading, stocks_of_message,
};

use crate::memory::Meter;
use crate::settings::Settings;

/// Checks decoding of a message, and encoding of another.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let encoding = if settings.has(0) {
        FeedEncoding::Json
    } else {
        FeedEncoding::Binary
    };
    let kind = match settings.choices >> 1 & 0b11 {
        0 => FeedKind::Hello,
        1 => FeedKind::Sequence,
        2 => FeedKind::Clock,
        _ => FeedKind::Stocks,
    };
    let encoder = FeedEncoder { kind, encoding };
    check_read(encoder, bytes);
    if let Ok(message) = <_>::arbitrary(&mut Unstructured::new(bytes)) {
        check_written(encoder, message);
    }
}

/// Encoding a decoded heading must give the same bytes, and decoding allocates no memory.
fn check_read(encoder: FeedEncoder, payload: &[u8]) {
    let mut meter = Meter::default();
    let read = meter.count(|| read_heading(encoder.kind, encoder.encoding, payload));
    assert_eq!(meter.bytes_max(), 0);
    let Ok(heading) = read else {
        return;
    };
    let number = heading.number.unwrap_or_default();
    let time_ns = heading.time_ns.unwrap_or_default();
    let mut written = Vec::new();
    encoder.encode(number, time_ns, &[], &mut written);
    match (encoder.kind, encoder.encoding) {
        // The number of records is between the heading and the records.
        (FeedKind::Stocks, FeedEncoding::Binary) => assert_eq!(written[..16], payload[..16]),
        (FeedKind::Stocks, FeedEncoding::Json) => {
            assert!(payload.starts_with(written.strip_suffix(b"]}").expect("JSON ends")));
        }
        _ => assert_eq!(written, payload),
    }
}

/// An encoded message must have the given heading.
fn check_written(encoder: FeedEncoder, (number, time_ns, records): (u64, u64, u8)) {
    let mut stocks = Vec::new();
    stocks_of_message(number, usize::from(records % 8), &mut stocks);
    let mut payload = Vec::new();
    encoder.encode(number, time_ns, &stocks, &mut payload);
    let has_number = matches!(encoder.kind, FeedKind::Sequence | FeedKind::Stocks);
    let has_time = matches!(encoder.kind, FeedKind::Clock | FeedKind::Stocks);
    let heading = Heading {
        number: has_number.then_some(number),
        time_ns: has_time.then_some(time_ns),
    };
    assert_eq!(
        read_heading(encoder.kind, encoder.encoding, &payload),
        Ok(heading)
    );
}
