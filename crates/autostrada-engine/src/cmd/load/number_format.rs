//! Metrics as texts: groups of three digits, or three significant digits with a unit.

use autostrada_measure::Nanos;

/// Width of the names at the beginning of each line.
pub const NAME_WIDTH: usize = 16;

/// What is between two metrics in a line.
const BETWEEN_METRICS: &str = "   ";

/// Formats a number without decimals, in groups of three digits.
pub fn whole(value: f64) -> String {
    grouped(&format!("{value:.0}"))
}

/// Formats a rate: with three significant digits below 100, otherwise without decimals, in groups of
/// three digits.
pub fn per_s(rate: f64) -> String {
    let decimals = match rate {
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => return whole(rate),
    };
    let digits = format!("{rate:.decimals$}");
    digits
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

/// Formats a whole number in groups of three digits.
pub fn whole_number(value: u64) -> String {
    grouped(&value.to_string())
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a share as a percentage.
pub fn percent(share: f64) -> String {
    significant(share * 100.0, "%")
}

/// Formats seconds in a unit that fits.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        ..1e-6 => (seconds * 1e9, "ns"),
        1e-6..1e-3 => (seconds * 1e6, "µs"),
        1e-3..1.0 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    significant(value, unit)
}

/// Formats nanoseconds in a unit that fits.
pub fn duration_ns(nanoseconds: Nanos) -> String {
    duration(nanoseconds as f64 / 1e9)
}

/// Formats a whole number of bytes in a decimal unit that fits.
pub fn whole_bytes(value: u64) -> String {
    bytes(value as f64)
}

/// Formats bytes in a decimal unit that fits.
pub fn bytes(value: f64) -> String {
    let (value, unit) = match value {
        ..1e3 => return format!("{value:.0} B"),
        1e3..1e6 => (value / 1e3, "kB"),
        1e6..1e9 => (value / 1e6, "MB"),
        _ => (value / 1e9, "GB"),
    };
    significant(value, unit)
}

/// Formats a value with three significant digits and its unit.
fn significant(value: f64, unit: &str) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// Breaks a text into lines of a width: between metrics if three blanks are between these, otherwise
/// between words. What is longer than a line has its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let blanks = if text.contains(BETWEEN_METRICS) {
        BETWEEN_METRICS
    } else {
        " "
    };
    for word in text.split_inclusive(blanks) {
        let last = lines.last_mut().expect("there is a line");
        let joined = last.chars().count() + word.trim_end().chars().count();
        if joined > width && !last.is_empty() {
            *last = last.trim_end().to_owned();
            lines.push(word.to_owned());
        } else {
            last.push_str(word);
        }
    }
    lines
}

/// Returns the lines of a text after its name, broken so that they have at most this width if
/// possible.
pub fn named(name: &str, text: &str, width: usize) -> Vec<String> {
    let lines = wrapped(text, width.saturating_sub(NAME_WIDTH)).into_iter();
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let pairs = names.zip(lines);
    pairs
        .map(|(name, line)| format!("{name:NAME_WIDTH$}{line}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_three_significant_digits() {
        for (seconds, text) in [
            (0.0, "0.00 ns"),
            (12.345e-6, "12.3 µs"),
            (0.9999, "1000 ms"),
            (1.234_567_89, "1.23 s"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(percent(0.5), "50.0 %");
        assert_eq!(percent(0.001), "0.10 %");
        assert_eq!(bytes(999.0), "999 B");
        assert_eq!(bytes(2.5e9), "2.50 GB");
    }

    #[test]
    fn whole_numbers_have_groups_of_three_digits() {
        assert_eq!(whole(1_234_567.4), "1,234,567");
        assert_eq!(whole(123.0), "123");
    }

    #[test]
    fn slow_rates_have_three_significant_digits() {
        for (rate, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (2.5, "2.5"),
            (33.333, "33.3"),
            (1_234.5, "1,234"),
        ] {
            assert_eq!(per_s(rate), text);
        }
    }
}
