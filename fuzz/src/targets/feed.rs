//! Headings of feed messages.

use autostrada_proto::feed::{FeedEncoder, FeedEncoding, FeedKind, read_heading};

use crate::memory;
use crate::settings::Settings;

/// Encoding a decoded heading must give the same bytes, and decoding allocates no memory.
pub fn check(input: &[u8]) {
    let Some((settings, payload)) = Settings::split(input) else {
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
    memory::reset();
    let read = memory::count_allocations(|| read_heading(kind, encoding, payload));
    assert_eq!(memory::held_bytes_max(), 0);
    let Ok(heading) = read else {
        return;
    };
    let number = heading.number.unwrap_or_default();
    let time_ns = heading.time_ns.unwrap_or_default();
    let mut written = Vec::new();
    FeedEncoder { kind, encoding }.encode(number, time_ns, &[], &mut written);
    match (kind, encoding) {
        // The number of records is between the heading and the records.
        (FeedKind::Stocks, FeedEncoding::Binary) => assert_eq!(written[..16], payload[..16]),
        (FeedKind::Stocks, FeedEncoding::Json) => {
            assert!(payload.starts_with(written.strip_suffix(b"]}").expect("JSON ends")));
        }
        _ => assert_eq!(written, payload),
    }
}
