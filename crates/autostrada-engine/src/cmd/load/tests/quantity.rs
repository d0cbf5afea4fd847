//! Tests of `quantity.rs`.

use super::*;

#[test]
fn a_rate_is_said_as_it_was_given() {
    let words = |text: &str| text.parse::<Rate>().unwrap().words(100);
    assert_eq!(words("1k/s"), ", 1,000/s in total");
    assert_eq!(words("2.5/s/conn"), " × 2.5/s = 250/s");
    assert_eq!(words("100..1k/s"), ", 100 to 1,000/s in total");
    assert_eq!(words("1..2/s/conn"), ", 1 to 2/s on each");
    assert_eq!(words("poisson:5k/s"), ", 5,000/s in total, Poisson");
}

fn schedule(text: &str) -> Value {
    text.parse::<Rate>().unwrap().schedule(12.0)
}

#[test]
fn counts_have_thousands_and_millions() {
    for (text, count) in [("0", 0), ("250", 250), ("10k", 10_000), ("1.5m", 1_500_000)] {
        assert_eq!(text.parse(), Ok(Count(count)), "{text}");
    }
    for text in ["", "k", "-1", "1.5", "10g", "1e3", "1..2"] {
        assert!(text.parse::<Count>().is_err(), "{text}");
    }
}

#[test]
fn durations_have_a_unit() {
    for (text, seconds) in [("500ms", 0.5), ("10s", 10.0), ("2m", 120.0), ("1h", 3600.0)] {
        assert_eq!(text.parse(), Ok(Seconds(seconds)), "{text}");
    }
    assert_eq!(
        "10".parse::<Seconds>().unwrap_err(),
        "\"10\" has no unit: write 10s or 10ms"
    );
    for text in ["", "s", "10d", "-1s"] {
        assert!(text.parse::<Seconds>().is_err(), "{text}");
    }
}

#[test]
fn sizes_are_decimal_or_binary() {
    for (text, bytes) in [
        ("640", 640),
        ("64KiB", 65_536),
        ("2kB", 2000),
        ("1MiB", 1 << 20),
    ] {
        assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
    }
    for text in ["", "64K", "1.5", "-1", "1GiB"] {
        assert!(text.parse::<Bytes>().is_err(), "{text}");
    }
}

#[test]
fn a_rate_is_of_all_connections_or_of_each() {
    assert_eq!(
        schedule("5k/s"),
        json!({"kind": "constant", "rate_per_s": 5000.0, "per": "total"})
    );
    assert_eq!(
        schedule("0.5/s/conn"),
        json!({"kind": "constant", "rate_per_s": 0.5, "per": "connection"})
    );
    assert_eq!(
        schedule("100..5k/s"),
        json!({"kind": "ramp", "from_per_s": 100.0, "to_per_s": 5000.0, "over_s": 12.0,
               "per": "total"})
    );
    assert_eq!(
        schedule("poisson:20/s/conn"),
        json!({"kind": "poisson", "rate_per_s": 20.0, "per": "connection"})
    );
    let each: Rate = "5/s/conn".parse().unwrap();
    assert!((each.total_per_s(1000) - 5000.0).abs() < 1e-9);
}

#[test]
fn a_rate_without_a_unit_is_refused_with_both_spellings() {
    let error = "5k".parse::<Rate>().unwrap_err();
    assert!(
        error.contains("5k/s for all") && error.contains("5k/s/conn for each"),
        "{error}"
    );
    for text in [
        "",
        "/s",
        "0/s",
        "-1/s",
        "5/m",
        "a..5/s",
        "poisson:1..5/s",
        "2000m/s",
    ] {
        assert!(text.parse::<Rate>().is_err(), "{text}");
    }
}

#[test]
fn a_share_is_above_0_and_at_most_1() {
    for text in ["0", "101%", "x", "-5%"] {
        assert!(share(text).is_err(), "{text}");
    }
}
