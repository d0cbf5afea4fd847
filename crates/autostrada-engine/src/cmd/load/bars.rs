//! How often which times occurred, drawn as bars.

use std::fmt::Write as _;

use autostrada_measure::integer;

use super::number_format::{NAME_WIDTH, duration, whole};
use super::times::by_power;
use crate::client::Buckets;

/// Length of the longest bar.
const BAR_WIDTH: f64 = 48.0;

/// Draws how often which times occurred: a line each, from twice as long to twice as long.
pub fn bars(times: &Buckets) -> String {
    let counts = by_power(times);
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let mut text = String::new();
    let (Some((first, _)), Some((last, _))) = (counts.first_key_value(), counts.last_key_value())
    else {
        return text;
    };
    for power in *first..=*last {
        let count = counts.get(&power).copied().unwrap_or(0) as f64;
        let bar = "■".repeat(cells((count / most * BAR_WIDTH).ceil()));
        let below = format!("< {}  ", duration(f64::from(power + 1).exp2() / 1e9));
        let _ = writeln!(text, "{below:>NAME_WIDTH$}{bar} {}", whole(count));
    }
    text
}

/// Returns the number of cells of a bar.
pub fn cells(length: f64) -> usize {
    usize::try_from(integer(length)).expect("a bar is short")
}
